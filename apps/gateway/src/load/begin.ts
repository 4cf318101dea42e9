/** Begins a run of a model, for readers to follow. */

export interface BegunRun {
  readonly runId: string
  readonly threadId: string
  /** The path of its events. */
  readonly events: string
}

export async function begin(port: number, model: string): Promise<BegunRun> {
  const { headers } = await fetch(`http://127.0.0.1:${port}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Go.' }] }),
  })
  const runId = headers.get('x-run-id') ?? ''
  return { runId, threadId: headers.get('x-thread-id') ?? '', events: `/v1/runs/${runId}/events` }
}
