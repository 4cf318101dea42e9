/** A toy wire and its decoder, whole or with one flaw: what the torture must notice. */
import { type Outcome, type OutcomeCall, type Speaker, type SpokenUsage, readMessages } from '../src/index.ts'

export interface Flaws {
  /** A stream that stops is taken as finished. */
  readonly cutIsSuccess?: boolean
  readonly addsUsage?: boolean
  /** Each chunk is decoded by itself. */
  readonly breaksCharacters?: boolean
  /** A finish ends all reading. */
  readonly stopsAtFinish?: boolean
  readonly forgetsErrors?: boolean
  /** What stands beside an error is not read. */
  readonly readsErrorsAlone?: boolean
  /** An error takes with it what came in the same chunk. */
  readonly losesWhatCameWithAnError?: boolean
  /** An error takes all text with it. */
  readonly losesTextAtErrors?: boolean
  /** Arguments go to the call that began last. */
  readonly mixesArguments?: boolean
}

type Message =
  | { readonly say: string }
  | { readonly call: number; readonly id?: string; readonly name: string }
  | { readonly args: number; readonly piece: string }
  | { readonly finish: string }
  | { readonly usage: SpokenUsage }
  | { readonly error: string; readonly beside?: string }
  | { readonly start: true }
  | { readonly done: true }

export function speaker(): Speaker {
  const message = (content: Message): string => `data: ${JSON.stringify(content)}\n\n`
  return {
    finishEnds: false,
    start: () => message({ start: true }),
    text: (piece) => message({ say: piece }),
    call: ({ index, id, name }) => message({ call: index, ...(id === undefined ? {} : { id }), name }),
    args: ({ index }, piece) => message({ args: index, piece }),
    finish: (reason) => message({ finish: reason }),
    usage: (usage) => message({ usage }),
    error: ({ message: error }, beside) => message({ error, ...(beside === undefined ? {} : { beside }) }),
    keepAlive: () => ': here\n\n',
    done: () => message({ done: true }),
  }
}

export function toyDecoder(flaws: Flaws = {}): (chunks: Iterable<Uint8Array>) => Outcome {
  return (chunks) => {
    const given = flaws.breaksCharacters ? Array.from(chunks, alone) : chunks
    let text = ''
    let finish: string | undefined
    let late = false
    let done = false
    let failed = false
    let usage: SpokenUsage | undefined
    const calls = new Map<number, OutcomeCall>()
    for (const { data } of readMessages(flaws.losesWhatCameWithAnError ? withoutWhatCameWithAnError(given) : given)) {
      if (done || failed || (flaws.stopsAtFinish && finish)) break
      const message = JSON.parse(data) as Message
      if ('say' in message) {
        text += message.say
        late ||= finish !== undefined
      } else if ('call' in message) {
        const taken = [...calls.values()].some(({ id }) => id === message.id)
        const id = message.id === undefined || taken ? `call-${message.call}` : message.id
        if (!calls.has(message.call)) calls.set(message.call, { id, name: message.name, arguments: '' })
      } else if ('args' in message) {
        const index = flaws.mixesArguments ? calls.size - 1 : message.args
        const call = calls.get(index)
        if (call) calls.set(index, { ...call, arguments: call.arguments + message.piece })
      } else if ('finish' in message) finish = message.finish
      else if ('usage' in message) usage = flaws.addsUsage ? sum(usage, message.usage) : message.usage
      else if ('done' in message) done = true
      else if ('error' in message) {
        if (!flaws.readsErrorsAlone) text += message.beside ?? ''
        if (flaws.losesTextAtErrors) text = ''
        failed = !flaws.forgetsErrors
      }
    }
    const cut = !flaws.cutIsSuccess && (finish === undefined || (late && !done))
    const missing = finish === 'calls' && calls.size === 0
    return {
      status: failed || cut || missing ? 'failed' : calls.size > 0 ? 'waiting' : 'finished',
      text,
      calls: [...calls.values()],
      ...(usage ? { usage } : {}),
    }
  }
}

function* withoutWhatCameWithAnError(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const chunk of chunks) {
    const text = new TextDecoder().decode(chunk)
    const at = text.indexOf('data: {"error"')
    yield at === -1 ? chunk : new TextEncoder().encode(text.slice(at))
  }
}

const alone = (chunk: Uint8Array): Uint8Array => new TextEncoder().encode(new TextDecoder().decode(chunk))

const sum = (one: SpokenUsage | undefined, other: SpokenUsage): SpokenUsage => ({
  prompt: (one?.prompt ?? 0) + other.prompt,
  completion: (one?.completion ?? 0) + other.completion,
})
