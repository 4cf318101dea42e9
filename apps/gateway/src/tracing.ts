/**
 * Spans of what an agent does, with the names of the GenAI conventions, through the OpenTelemetry API alone: whether anybody collects them
 * is the host's choice. Nothing that anybody said is in them.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { RunState } from '@factwire/core'
import type { Tool } from '@factwire/runtime'
import type { KeptRun } from './storage.ts'

/** The spans of one segment of a run. */
export interface Traced {
  /** The same model, each of whose requests is a span. */
  fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch
  /** The same tools, each of whose calls is a span. */
  tools(tools: readonly Tool[]): readonly Tool[]
  over(state: RunState | undefined): void
}

const tracer = (): Tracer => trace.getTracer('@factwire/gateway')

export function traced({ runId, threadId, model = '', wire }: KeptRun): Traced {
  const segment = tracer().startSpan('invoke_agent', {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': threadId,
      'gen_ai.request.model': model,
      'factwire.run.id': runId,
      'factwire.wire': wire,
    },
  })
  const within: Context = trace.setSpan(context.active(), segment)
  const start = (name: string, attributes: Attributes): Span => tracer().startSpan(name, { attributes }, within)

  return {
    fetch: (fetch) => async (input, init) => {
      const span = start(`chat ${model}`, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model })
      try {
        const response = await context.with(trace.setSpan(within, span), async () => fetch(input, init))
        span.setAttribute('http.response.status_code', response.status)
        if (!response.ok) span.setStatus({ code: SpanStatusCode.ERROR })
        return response.body ? new Response(untilOver(response.body, span), response) : ended(response, span)
      } catch (error) {
        fail(span, error)
        throw error
      }
    },
    tools: (tools) =>
      tools.map((tool) => ({
        ...tool,
        async run(input, given) {
          const span = start(`execute_tool ${tool.name}`, {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': tool.name,
            'gen_ai.tool.call.id': given.callId,
          })
          try {
            return await context.with(trace.setSpan(within, span), async () => tool.run(input, given))
          } catch (error) {
            span.setStatus({ code: SpanStatusCode.ERROR })
            throw error
          } finally {
            span.end()
          }
        },
      })),
    over(state) {
      const cause = state?.type === 'ended' ? state.cause : undefined
      segment.setAttribute('factwire.run.state', cause?.type ?? state?.type ?? 'lost')
      if (!state || cause?.type === 'error') {
        segment.setStatus({ code: SpanStatusCode.ERROR })
        segment.setAttribute('error.type', cause?.type === 'error' ? cause.failure.code : 'lost')
      }
      segment.end()
    },
  }
}

/** The words of an error may hold what somebody said. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
  span.end()
}

function ended(response: Response, span: Span): Response {
  span.end()
  return response
}

/** A body whose end, however it comes, ends the span. */
function untilOver(body: ReadableStream<Uint8Array>, span: Span): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read()
          if (!done) return controller.enqueue(value)
          span.end()
          controller.close()
        } catch (error) {
          fail(span, error)
          controller.error(error)
        }
      },
      async cancel(reason) {
        span.end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
