import { Hono } from 'hono'
import { type Agent, answer } from './route.ts'

export const honoApp = (agent: Agent): Hono =>
  new Hono().post('/api/chat', (context) => answer(agent, context.req.raw.body))
