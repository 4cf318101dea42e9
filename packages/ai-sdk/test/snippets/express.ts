import express, { type Express } from 'express'
import { handle } from './node-http.ts'
import type { Agent } from './route.ts'

/** `handle` reads the body itself: a parser for the whole application comes after this route. */
export const expressApp = (agent: Agent): Express =>
  express().post('/api/chat', (request, response) => handle(agent, request, response))
