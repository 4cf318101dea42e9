/** What a provider wants back with a thought, unread: each names it its own way. */
import type { ThinkingBlock } from '@factwire/core'
import type { ProviderMetadata } from './wire.ts'

type Seal = Pick<ThinkingBlock, 'signature' | 'encrypted'>

const SIGNATURES: readonly (readonly [provider: string, field: string])[] = [
  ['anthropic', 'signature'],
  ['bedrock', 'signature'],
  ['google', 'thoughtSignature'],
]
const ENCRYPTED: readonly (readonly [provider: string, field: string])[] = [
  ['anthropic', 'redactedData'],
  ['openai', 'reasoningEncryptedContent'],
  ['azure', 'reasoningEncryptedContent'],
]

export function sealIn(metadata: ProviderMetadata | undefined): Seal | undefined {
  if (!metadata) return undefined
  const signature = firstOf(metadata, SIGNATURES)
  const encrypted = firstOf(metadata, ENCRYPTED)
  if (signature === undefined && encrypted === undefined) return undefined
  return { ...(signature === undefined ? {} : { signature }), ...(encrypted === undefined ? {} : { encrypted }) }
}

function firstOf(metadata: ProviderMetadata, places: typeof SIGNATURES): string | undefined {
  for (const [provider, field] of places) {
    const given = metadata[provider]?.[field]
    if (typeof given === 'string' && given !== '') return given
  }
  return undefined
}
