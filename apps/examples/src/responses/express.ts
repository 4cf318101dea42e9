/** In an Express application. */
import express, { type Express } from 'express'
import { handle } from './node.ts'

export const app: Express = express()

app.post('/v1/responses', handle)
