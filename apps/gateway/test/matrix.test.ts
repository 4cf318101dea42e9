/** Every client in every scene, against the server that runs: what it has seen, and that nothing happened twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { valuesIn } from '../src/folder.ts'
import { played } from './matrix/cell.ts'
import type { Client } from './matrix/client.ts'
import { type Complaints, complaints } from './matrix/complaints.ts'
import type { Script, View } from './matrix/scene.ts'
import { type SceneName, sceneNames, scenes } from './matrix/scenes.ts'
import { type Stage, stage } from './matrix/stage.ts'
import { table } from './matrix/table.ts'

const clients = [...(await valuesIn<Client>(new URL('./matrix/clients/', import.meta.url), 'client')).values()]

let heard: Complaints
beforeAll(() => {
  heard = complaints()
})
afterAll(() => heard.stop())

test('the page says who plays what, and why not where not', async () => {
  await expect(table(clients)).toMatchFileSnapshot('../CLIENTS.md')
})

describe.each(clients)('$name', (client) => {
  let server: Stage
  beforeAll(async () => {
    server = await stage()
  })
  afterAll(async () => server.close())

  for (const name of sceneNames) {
    if (name in client.cannot) continue
    test.concurrent(`${client.name} · ${name}`, async () => {
      const scene: Script = { ...(scenes[name] as Script), ...again(client, name) }
      const complained = await heard.within(async () => {
        const { view, late, ...done } = await played(server, client, name, scene)
        const seen = expectedOf(client, name, scene)
        expect({
          ...done,
          seen: visible(client, view, scene.sees),
          late: late && visible(client, late, scene.sees),
        }).toEqual({
          seen,
          late: scene.meanwhile?.happens === 'join' ? seen : undefined,
          requests: scene.requests,
          ran: scene.ran,
          runs: scene.runs,
        })
      })
      expect(complained).toEqual([])
    })
  }

  test('the server met with nothing that it did not expect', () => {
    expect(server.errors).toEqual([])
  })
})

test('nobody complained behind the back of a test', () => {
  expect(heard.stray).toEqual([])
})

const again = (client: Client, name: SceneName): Partial<Script> =>
  client.afterCut === 'asks again' ? ((scenes[name] as Script).askedAgain ?? {}) : {}

function expectedOf(client: Client, name: SceneName, { sees }: Script): Partial<View> {
  return visible(client, { ...sees, ...client.differs?.[name]?.sees }, sees)
}

/** Without what the client has no form for, and what the scene does not say. Calls come as they come. */
function visible({ unseen }: Client, { calls, ...view }: View, scene: View): Partial<View> {
  const seen = Object.entries({ ...view, calls: calls.toSorted() })
  return Object.fromEntries(seen.filter(([key]) => key in scene && !(key in unseen)))
}
