/** `POST /v1/messages` where requests come the way of the web: a Hono application, and a route handler as `app/v1/messages/route.ts` of Next. */
import { Hono } from 'hono'
import { answer } from './messages.ts'

export const app: Hono = new Hono()
app.post('/v1/messages', ({ req }) => answer(req.raw.body))

export const POST = (request: Request): Promise<Response> => answer(request.body)
