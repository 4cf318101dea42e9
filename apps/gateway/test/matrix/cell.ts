/** One client in one scene: sets it going, does what happens meanwhile, and gives what the client has seen and the server has done. */
import type { Client, Part } from './client.ts'
import { proxy } from './proxy.ts'
import type { Script, View } from './scene.ts'
import type { SceneName } from './scenes.ts'
import type { Stage } from './stage.ts'
import { until } from './until.ts'

export interface Played {
  readonly view: View
  /** Of who came late. */
  readonly late: View | undefined
  readonly requests: number
  readonly ran: Readonly<Record<string, number>>
  readonly runs: readonly string[]
}

export async function played(stage: Stage, client: Client, name: SceneName, scene: Script): Promise<Played> {
  const line = await proxy(stage.port)
  const own: string[] = []
  const part: Part = {
    url: line.url,
    model: name,
    threadId: `thread-of-${name.replaceAll(' ', '-')}`,
    isOneRun: scene.runs.length === 1,
    says: scene.says ?? ['Go.'],
    thinking: scene.thinking ?? false,
    tools: Object.keys(scene.brings ?? {}),
    isAsked: scene.approves !== undefined,
    reloads: scene.reloads ?? false,
    run(tool) {
      own.push(tool)
      return scene.brings?.[tool] ?? 'not to be run here'
    },
    decide() {
      own.push('the user')
      return scene.approves ?? false
    },
    wasCut: line.wasCut,
    ended: () => until(async () => (await stage.runsOf(name)).every(({ status }) => status === 'ended')),
  }
  try {
    const playing = client.play(part)
    // A client that gives up is not waited for.
    const late = scene.meanwhile && (await Promise.race([meanwhile(scene.meanwhile), playing.then(() => undefined)]))
    const view = await playing
    await part.ended()
    const runs = await stage.runsOf(name)
    return {
      view,
      late: late && (await late.seen),
      requests: stage.requests(name),
      ran: counted([...runs.flatMap(({ run_id }) => stage.ran(run_id)), ...own]),
      runs: runs.map(({ cause, status }) => cause?.type ?? status),
    }
  } finally {
    line.close()
    stage.open(name)
  }

  async function meanwhile({
    until: words,
    happens,
  }: NonNullable<Script['meanwhile']>): Promise<{ readonly seen: Promise<View> } | undefined> {
    await (client.whole ? stage.waits(name) : line.passed(words))
    const [run] = await stage.runsOf(name)
    if (!run) throw new Error('nothing runs')
    switch (happens) {
      case 'cancel':
        await (client.cancel ? client.cancel({ ...part, runId: run.run_id }) : stage.cancel(run.run_id))
        return undefined
      case 'cut':
        line.cut()
        await line.answeredAgain()
        stage.open(name)
        return undefined
      case 'join': {
        const other = await proxy(stage.port)
        const seen = client.join?.({ ...part, url: other.url, runId: run.run_id })
        if (!seen) throw new Error('nobody comes late')
        seen.catch(() => undefined).finally(other.close)
        await Promise.race([other.passed(words), seen])
        stage.open(name)
        return { seen }
      }
    }
  }
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
