/** `app/v1/responses/route.ts`, in Next and wherever routes are files. */
import { answer } from './answer.ts'

export const POST = (request: Request): Promise<Response> => answer(request.body)
