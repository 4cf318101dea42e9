import { expectTypeOf, test } from 'vitest'
import { optional, type Read, record, string, variants } from '../src/read-value.ts'

interface Person {
  readonly name: string
  readonly nick?: string
}

type Shape = { readonly kind: 'dot' } | { readonly kind: 'line' | 'ray'; readonly to: string }

test('a record reads every field of its interface', () => {
  expectTypeOf(record<Person>({ name: string, nick: optional(string) })).toEqualTypeOf<Read<Person>>()
})

test('a record does not compile when a field is forgotten, misspelt, or read as something else', () => {
  expectTypeOf(record<Person>)
    .parameter(0)
    .toHaveProperty('nick')
  // @ts-expect-error an optional field is forgotten
  record<Person>({ name: string })
  // @ts-expect-error a field is misspelt
  record<Person>({ name: string, nik: optional(string) })
  // @ts-expect-error a required field is read as optional
  record<Person>({ name: optional(string), nick: optional(string) })
})

test('variants do not compile when one is forgotten or has another one’s fields', () => {
  expectTypeOf(variants<Shape, 'kind'>('kind', { dot: {}, line: { to: string }, ray: { to: string } })).toEqualTypeOf<
    Read<Shape>
  >()
  // @ts-expect-error a variant is forgotten
  variants<Shape, 'kind'>('kind', { dot: {}, line: { to: string } })
  // @ts-expect-error a variant lacks its field
  variants<Shape, 'kind'>('kind', { dot: {}, line: { to: string }, ray: {} })
})
