/**
 * What clients let into their messages: they give up a whole stream for one key that could lead to a prototype. So such keys are left
 * out, wherever they stand in a value.
 */
import { isObject, stringify } from '@factwire/core'

/** A frame as JSON that no client refuses. */
export function allowedText(frame: object): string {
  const text = stringify(frame)
  return mayBeRefused(text) ? stringify(allowed(frame)) : text
}

/** Only keys stand between bare quotes. */
const mayBeRefused = (text: string): boolean => text.includes('"__proto__"') || text.includes('"constructor"')

/** Whether a value arrives as it is. */
export const isAllowed = (value: unknown): boolean => {
  const text = JSON.stringify(value) ?? ''
  return !mayBeRefused(text) || JSON.stringify(allowed(value)) === text
}

/** A value without what clients refuse. */
export function allowed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allowed)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, inner]) => !leads(key, inner))
  return Object.fromEntries(kept.map(([key, inner]) => [key, allowed(inner)]))
}

const leads = (key: string, value: unknown): boolean =>
  key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))
