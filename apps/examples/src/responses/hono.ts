/** In a Hono application. */
import { Hono } from 'hono'
import { answer } from './answer.ts'

export const app: Hono = new Hono()

app.post('/v1/responses', (context) => answer(context.req.raw.body))
