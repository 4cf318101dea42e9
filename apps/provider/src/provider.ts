/** Plays scenes: which reply a request gets, and what was asked. */
import { type Reply, refusal } from './reply.ts'
import type { Scene } from './scenes.ts'
import { type ChatBody, objection } from './strict.ts'

export interface Provider {
  reply(body: ChatBody): Reply
  /** The bodies of all requests, in their order. */
  readonly requests: readonly ChatBody[]
}

export function provider(scenes: Readonly<Record<string, Scene>>): Provider {
  const requests: ChatBody[] = []
  /** How often each place of each scene was asked for, by whoever asked. */
  const asked = new Map<string, number>()
  return {
    requests,
    reply(body) {
      requests.push(body)
      const wrong = objection(body)
      if (wrong) return refusal(400, 'invalid_request_error', wrong)
      const name = String(body.model)
      const scene = Object.hasOwn(scenes, name) ? scenes[name] : undefined
      if (!scene) return refusal(404, 'model_not_found', `there is no scene "${name}"`)
      const round = body.messages?.filter(({ tool_calls = [] }) => tool_calls.length > 0).length ?? 0
      const replies = scene[Math.min(round, scene.length - 1)] ?? []
      const place = JSON.stringify([name, body.user ?? '', round])
      const count = asked.get(place) ?? 0
      asked.set(place, count + 1)
      return replies[Math.min(count, replies.length - 1)] ?? refusal(500, 'server_error', 'the scene is empty')
    },
  }
}
