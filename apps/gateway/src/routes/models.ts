/** The models that may be asked for, as clients of chat completions list them. */
import type { Hono } from 'hono'
import type { Env } from '../call.ts'
import { json } from '../problem.ts'

export function modelRoutes(app: Hono<Env>): void {
  app.get('/v1/models', (incoming) => {
    const { models } = incoming.get('tenant').agents
    return json({
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'factwire' })),
    })
  })
}
