/** Which of the two forms of this wire a client asked for. */

export const PROTO_MEDIA_TYPE = 'application/vnd.ag-ui.event+proto'

/**
 * Protobuf only where it is named, and no less wanted than text: a client that takes anything, as many do without a thought, can
 * read text and often nothing else.
 */
export function negotiate(accept: string | null | undefined): 'sse' | 'proto' {
  let proto = 0
  let text = 0
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (type === PROTO_MEDIA_TYPE && parameters.every(isQuality)) proto = Math.max(proto, qualityOf(parameters))
    else if (type === 'text/event-stream') text = Math.max(text, qualityOf(parameters))
  }
  return proto > 0 && proto >= text ? 'proto' : 'sse'
}

const isQuality = (parameter: string): boolean => parameter.startsWith('q=')

function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.find(isQuality)
  if (quality === undefined) return 1
  const value = Number(quality.slice(2))
  return value >= 0 && value <= 1 ? value : 0
}
