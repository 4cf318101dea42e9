import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonPatch } from '../src/json.ts'
import { equalJson, patchedDocument } from '../src/json-patch.ts'

function patched(document: Json, patch: readonly JsonPatch[]): Json | undefined {
  const { apply, value } = patchedDocument(document)
  return apply(patch) ? value() : undefined
}

// The examples of RFC 6902, appendix A, and of RFC 6901, section 5.
test.each<[string, Json, JsonPatch[], Json]>([
  ['adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
  ['adds an element', { foo: [1, 2] }, [{ op: 'add', path: '/foo/1', value: 9 }], { foo: [1, 9, 2] }],
  ['adds at the end', { foo: [1] }, [{ op: 'add', path: '/foo/1', value: [2] }], { foo: [1, [2]] }],
  ['adds after the end', { foo: [1] }, [{ op: 'add', path: '/foo/-', value: 2 }], { foo: [1, 2] }],
  ['adds over a member', { foo: 1 }, [{ op: 'add', path: '/foo', value: 2 }], { foo: 2 }],
  ['adds a null', {}, [{ op: 'add', path: '/foo', value: null }], { foo: null }],
  ['removes a member', { baz: 1, foo: 2 }, [{ op: 'remove', path: '/baz' }], { foo: 2 }],
  ['removes an element', { foo: [1, 2, 3] }, [{ op: 'remove', path: '/foo/1' }], { foo: [1, 3] }],
  ['replaces a value', { baz: 'qux', foo: 1 }, [{ op: 'replace', path: '/baz', value: 2 }], { baz: 2, foo: 1 }],
  ['replaces an element', [1, 2], [{ op: 'replace', path: '/0', value: 9 }], [9, 2]],
  ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: [] }], []],
  [
    'moves a value',
    { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
  ],
  ['moves an element', { a: [1, 2, 3, 4] }, [{ op: 'move', from: '/a/1', path: '/a/3' }], { a: [1, 3, 4, 2] }],
  ['moves to where it is', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ['copies a value', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  [
    'copies are two',
    { a: { b: 1 } },
    [
      { op: 'replace', path: '/a/b', value: 2 },
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'replace', path: '/a/b', value: 3 },
    ],
    { a: { b: 3 }, c: { b: 2 } },
  ],
  [
    'tests and goes on',
    { a: [{ x: 1, y: 2 }] },
    [{ op: 'test', path: '/a', value: [{ y: 2, x: 1 }] }],
    { a: [{ x: 1, y: 2 }] },
  ],
  [
    'reads escapes in their order',
    { '~1': 10, '/': 9 },
    [{ op: 'replace', path: '/~01', value: 0 }],
    { '~1': 0, '/': 9 },
  ],
  ['reads an empty key', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
])('%s', (_, document, patch, expected) => {
  expect(patched(document, patch)).toEqual(expected)
})

test.each<[string, Json, JsonPatch]>([
  ['a parent that is not there', { q: 1 }, { op: 'add', path: '/a/b', value: 1 }],
  ['a parent that holds nothing', { q: 1 }, { op: 'add', path: '/q/b', value: 1 }],
  ['an element beyond the end', [1], { op: 'add', path: '/2', value: 1 }],
  ['an element with a leading zero', [1, 2], { op: 'replace', path: '/01', value: 1 }],
  ['an element that is no number', [1, 2], { op: 'add', path: '/x', value: 1 }],
  ['a negative element', [1], { op: 'remove', path: '/-1' }],
  ['the place after the end, but for add', [1], { op: 'replace', path: '/-', value: 1 }],
  ['removing what is not there', { a: 1 }, { op: 'remove', path: '/b' }],
  ['replacing what is not there', { a: 1 }, { op: 'replace', path: '/b', value: 1 }],
  ['moving what is not there', { a: 1 }, { op: 'move', from: '/b', path: '/c' }],
  ['moving into itself', { a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/b' }],
  ['moving into what follows it', [{ a: 1 }, { b: 2 }], { op: 'move', from: '/0', path: '/0/x' }],
  ['a test of another value', { a: 1 }, { op: 'test', path: '/a', value: '1' }],
  ['a test of an array as an object', { a: [] }, { op: 'test', path: '/a', value: {} }],
  ['a test of what is not there', { a: 1 }, { op: 'test', path: '/b', value: null }],
  ['a path without a slash', { a: 1 }, { op: 'add', path: 'a', value: 2 }],
  ['a path with a wrong escape', { 'a~2': 1 }, { op: 'remove', path: '/a~2' }],
  ['what an object inherits', {}, { op: 'remove', path: '/toString' }],
  ['the length of an array', [1], { op: 'replace', path: '/length', value: 0 }],
])('refuses %s', (_, document, operation) => {
  expect(patched(document, [operation])).toBeUndefined()
})

test('no path reaches a prototype', () => {
  const document = JSON.parse('{"a":{}}') as Json
  expect(patched(document, [{ op: 'add', path: '/__proto__/polluted', value: 1 }])).toBeUndefined()
  expect(patched(document, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }])).toBeUndefined()
  const own = patched(document, [{ op: 'add', path: '/a/__proto__', value: { polluted: 1 } }])
  expect(JSON.stringify(own)).toBe('{"a":{"__proto__":{"polluted":1}}}')
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect('polluted' in {}).toBe(false)
})

test('an own key named __proto__ survives changes beside it and below it', () => {
  const document = JSON.parse('{"__proto__":{"n":1}}') as Json
  const changed = patched(document, [
    { op: 'add', path: '/b', value: 2 },
    { op: 'replace', path: '/__proto__/n', value: 3 },
  ])
  expect(JSON.stringify(changed)).toBe('{"__proto__":{"n":3},"b":2}')
})

test('a patch that fails at its end changes nothing', () => {
  const { apply, value } = patchedDocument({ list: [1, 2, 3], o: { a: 1, b: 2 }, text: 'x' })
  const failing: JsonPatch[] = [
    { op: 'add', path: '/list/1', value: 9 },
    { op: 'remove', path: '/list/0' },
    { op: 'replace', path: '/text', value: 'y' },
    { op: 'move', from: '/o/a', path: '/list/-' },
    { op: 'copy', from: '/list', path: '/o/list' },
    { op: 'add', path: '/list/-', value: 7 },
    { op: 'replace', path: '', value: { other: true } },
    { op: 'add', path: '/more', value: 1 },
    { op: 'test', path: '/more', value: 2 },
  ]
  expect(apply(failing)).toBe(false)
  expect(value()).toEqual({ list: [1, 2, 3], o: { a: 1, b: 2 }, text: 'x' })
})

test('what was given out, and what was put in, stays as it was', () => {
  const initial = { a: { b: 1 } }
  const item = { n: 1 }
  const { apply, value } = patchedDocument(initial)
  const before = value()
  apply([{ op: 'add', path: '/a/item', value: item }])
  const between = value()
  apply([{ op: 'replace', path: '/a/item/n', value: 2 }])
  expect([initial, before, between, value(), item]).toEqual([
    { a: { b: 1 } },
    { a: { b: 1 } },
    { a: { b: 1, item: { n: 1 } } },
    { a: { b: 1, item: { n: 2 } } },
    { n: 1 },
  ])
})

test('copies of copies have an end', () => {
  const { apply, value } = patchedDocument({})
  let doubled = 0
  while (doubled < 40 && apply([{ op: 'copy', from: '', path: `/k${doubled}` }])) doubled++
  expect(doubled).toBeLessThan(20)
  expect(JSON.stringify(value()).length).toBeLessThan(4_000_000)
})

const nested = (levels: number, inner: Json = {}): Json => {
  let value = inner
  for (let n = 0; n < levels; n++) value = { a: value }
  return value
}

test.each<[string, JsonPatch[]]>([
  ['copies of the whole into itself', [{ op: 'copy', from: '', path: '/a' }]],
  [
    'moves under a new parent',
    [
      { op: 'add', path: '/x', value: {} },
      { op: 'move', from: '/a', path: '/x/a' },
      { op: 'move', from: '/x', path: '/a' },
    ],
  ],
  ['values put deep', [{ op: 'replace', path: '/a', value: nested(2000) }]],
])('%s do not nest without end', (_, patch) => {
  const { apply, value } = patchedDocument({ a: {} })
  let applied = 0
  while (applied < 5000 && apply(patch)) applied++
  expect(applied).toBeLessThan(1000)
  expect(() => JSON.stringify(value())).not.toThrow()
})

test('values nested without end are read, whoever built them', () => {
  const document = nested(50_000)
  expect(equalJson(document, nested(50_000))).toBe(true)
  expect(equalJson(document, nested(50_000, { b: 1 }))).toBe(false)
  const { apply } = patchedDocument(document)
  expect(apply([{ op: 'copy', from: '/a', path: '/b' }])).toBe(false)
  expect(
    apply([
      { op: 'test', path: '/a', value: nested(49_999) },
      { op: 'move', from: '/a', path: '/b' },
    ]),
  ).toBe(true)
})

test('a long list grows at the cost of what is added', () => {
  const { apply, value } = patchedDocument({ list: [] })
  for (let n = 0; n < 100_000; n++) apply([{ op: 'add', path: '/list/-', value: n }])
  // Copied for each patch, this would be 5,000,000,000 elements.
  expect((value() as { list: number[] }).list).toHaveLength(100_000)
}, 3000)

// ── Against a plain model ──

/** The same operations, the slow and obvious way: on a copy, with numbers and letters only. */
function model(document: Json, patch: readonly JsonPatch[]): Json | undefined {
  let root = structuredClone(document) as unknown
  const at = (path: string): { parent: Record<string, unknown> | unknown[]; key: string } | undefined => {
    const tokens = path.split('/').slice(1)
    const key = tokens.pop() ?? ''
    let parent = root
    for (const token of tokens) {
      if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, token)) return undefined
      parent = (parent as Record<string, unknown>)[token]
    }
    return typeof parent === 'object' && parent !== null
      ? { parent: parent as Record<string, unknown> | unknown[], key }
      : undefined
  }
  const get = (path: string): unknown => {
    if (path === '') return root
    const place = at(path)
    if (!place || !Object.hasOwn(place.parent, place.key)) return undefined
    return (place.parent as Record<string, unknown>)[place.key]
  }
  const add = (path: string, value: unknown): boolean => {
    if (path === '') {
      root = value
      return true
    }
    const place = at(path)
    if (!place) return false
    if (!Array.isArray(place.parent)) place.parent[place.key] = value
    else {
      const index = place.key === '-' ? place.parent.length : Number(place.key)
      if (!(index <= place.parent.length)) return false
      place.parent.splice(index, 0, value)
    }
    return true
  }
  const remove = (path: string): boolean => {
    if (get(path) === undefined) return false
    const place = path === '' ? undefined : at(path)
    if (!place) root = null
    else if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1)
    else delete place.parent[place.key]
    return true
  }
  for (const operation of patch) {
    const { path } = operation
    let good = false
    if ('from' in operation) {
      const value = structuredClone(get(operation.from))
      const inside = path.startsWith(`${operation.from}/`)
      if (value === undefined || (operation.op === 'move' && inside)) good = false
      else if (operation.op === 'copy') good = add(path, value)
      else good = path === operation.from || (remove(operation.from) && add(path, value))
    } else if (operation.op === 'add') good = add(path, structuredClone(operation.value))
    else if (operation.op === 'remove') good = remove(path)
    else if (operation.op === 'replace') {
      const place = path === '' ? undefined : at(path)
      if (get(path) === undefined) good = false
      else if (!place) good = add('', structuredClone(operation.value))
      else {
        ;(place.parent as Record<string, unknown>)[place.key] = structuredClone(operation.value)
        good = true
      }
    } else if (operation.op === 'test') good = JSON.stringify(get(path)) === JSON.stringify(operation.value)
    if (!good) return undefined
  }
  return root as Json
}

const key = fc.constantFrom('a', 'b', '0', '1')
const path = fc
  .array(fc.oneof(key, fc.constant('-')), { maxLength: 3 })
  .map((keys) => keys.map((k) => `/${k}`).join(''))
const leaf: fc.Arbitrary<Json> = fc.constantFrom<Json>(1, 'x', null, [], {}, [1, 2], { a: 1 }, { a: [1], b: { a: 2 } })
const operation: fc.Arbitrary<JsonPatch> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path, value: leaf }),
  fc.record({ op: fc.constant('remove'), path }),
  fc.record({ op: fc.constantFrom('move', 'copy'), path, from: path }),
)

test('does what a plain model does, patch after patch', () => {
  const document = fc.constantFrom<Json>({ a: [1, { b: 2 }], b: { a: 1, b: [] } }, [[1, 2], { a: 1 }], {})
  fc.assert(
    fc.property(document, fc.array(fc.array(operation, { maxLength: 4 }), { maxLength: 6 }), (initial, patches) => {
      const { apply, value } = patchedDocument(initial)
      let expected: Json = initial
      for (const patch of patches) {
        const next = model(expected, patch)
        expect(apply(patch)).toBe(next !== undefined)
        if (next !== undefined) expected = next
        expect(value()).toEqual(expected)
      }
    }),
    { seed: 1, numRuns: 3000 },
  )
})

test('does the same when nobody looks in between', () => {
  fc.assert(
    fc.property(fc.array(fc.array(operation, { maxLength: 4 }), { maxLength: 8 }), (patches) => {
      const initial: Json = { a: [1, { b: 2 }], b: { a: 1, b: [] } }
      const { apply, value } = patchedDocument(initial)
      let expected: Json = initial
      for (const patch of patches) {
        apply(patch)
        const next = model(expected, patch)
        if (next !== undefined) expected = next
      }
      expect(value()).toEqual(expected)
      expect(initial).toEqual({ a: [1, { b: 2 }], b: { a: 1, b: [] } })
    }),
    { seed: 1, numRuns: 3000 },
  )
})
