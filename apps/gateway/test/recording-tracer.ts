/** A tracer that keeps what it is told, as an SDK would get it. */
import type { Attributes, Span, SpanStatusCode, Tracer, TracerProvider } from '@opentelemetry/api'

export interface Recorded {
  readonly name: string
  attributes: Attributes
  status: SpanStatusCode | undefined
}

/** Spans are added when they end. */
export function recordingProvider(ended: Recorded[]): TracerProvider {
  const startSpan: Tracer['startSpan'] = (name, options = {}) => {
    const kept: Recorded = { name, attributes: { ...options.attributes }, status: undefined }
    const span: Span = {
      spanContext: () => ({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 }),
      setAttribute(key, value) {
        kept.attributes[key] = value
        return span
      },
      setAttributes(attributes) {
        Object.assign(kept.attributes, attributes)
        return span
      },
      setStatus({ code }) {
        kept.status = code
        return span
      },
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      updateName: () => span,
      end: () => void ended.push(kept),
      isRecording: () => true,
      recordException: () => undefined,
    }
    return span
  }
  // Nothing here starts spans that are active by themselves.
  const startActiveSpan = (): never => {
    throw new TypeError('spans are started one by one')
  }
  return { getTracer: () => ({ startSpan, startActiveSpan }) }
}
