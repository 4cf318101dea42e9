import { Hono } from 'hono'
import { chatRoute } from './route.ts'

export const honoApp = (agent: Parameters<typeof chatRoute>[0]): Hono => {
  const answer = chatRoute(agent)
  return new Hono().post('/api/chat', (context) => answer(context.req.raw))
}
