// Programs that a rehearsal starts, one after the other. None of them outlives it.
import { spawn } from 'node:child_process'

const LAST_LINES = 25
const LONGEST = 240_000
const running = new Set()

/** Gives what the program wrote on its standard output; a program that fails is an error that quotes its end. */
export function run(program, args, { cwd, env, input = '', fails = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true })
    running.add(child)
    let output = ''
    let everything = ''
    child.stdout.on('data', (data) => {
      output += data
      everything += data
    })
    child.stderr.on('data', (data) => (everything += data))
    // A program that does not read need not be told.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const patience = setTimeout(() => {
      everything += `\nstopped after ${LONGEST / 1000} s`
      stop(child)
    }, LONGEST)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(patience)
      running.delete(child)
      if ((code !== 0) === fails) resolve(fails ? everything : output)
      else reject(new Error(`${[program, ...args].join(' ')}\nended with ${code}\n${lastLines(everything)}`))
    })
  })
}

export function stopAll() {
  running.forEach(stop)
}

/** With whatever it has started itself. */
function stop({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

const lastLines = (text) => text.trimEnd().split('\n').slice(-LAST_LINES).join('\n')
