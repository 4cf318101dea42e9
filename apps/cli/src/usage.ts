/** Wrong usage, as the argument parser reports its own: exit code 2, one line that says what to write instead. */
import { CommanderError } from 'commander'

export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'factwire.usage', message)
}
