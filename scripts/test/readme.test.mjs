import { expect, test } from 'vitest'
import { calls, examples, imports, installs } from '../release/readme.mjs'

const page = `# A

\`\`\`sh
npm install @x/a @x/b    # once they are published
\`\`\`

\`\`\`ts
const a = 1
\`\`\`

\`\`\`sh
npx tool inspect a.txt         # a timeline
npx tool turn --to b a.txt
curl -N … | npx tool turn      # live
npx other inspect a.txt
\`\`\`

\`\`\`ts
const b = '# no comment'
\`\`\`
`

test('finds what is to be installed', () => expect(installs(page)).toEqual(['@x/a', '@x/b']))

test('a page may have nothing to install', () => expect(installs('# A\n')).toBeUndefined())

test('finds the examples as they stand', () =>
  expect(examples(page)).toEqual(['const a = 1\n', `const b = '# no comment'\n`]))

test('finds the calls that can be run as they stand', () =>
  expect(calls(page, 'tool')).toEqual([
    ['inspect', 'a.txt'],
    ['turn', '--to', 'b', 'a.txt'],
  ]))

test('an option of an installation is no package', () =>
  expect(installs('```sh\nnpm install --save-dev @x/a b@4\n```\n')).toEqual(['@x/a', 'b@4']))

test('finds from which packages something is imported', () =>
  expect(
    imports(
      `import { a } from '@x/a/deep'\nimport {\n  b,\n} from "b"\nimport c from 'node:c'\nexport { d } from 'b/d'\nimport 'f'\nexport const e = 'e'\nexport function g() {\n  from 'h'\n}\n`,
    ),
  ).toEqual(['@x/a', 'b', 'node:c', 'f']))
