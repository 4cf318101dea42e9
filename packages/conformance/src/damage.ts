/** Streams that are no longer what their encoder wrote: frames lost, doubled, moved, told again at the end, or another run's. */
import fc from 'fast-check'

export type Damage =
  | { readonly kind: 'lost' | 'doubled'; readonly at: number }
  | { readonly kind: 'moved'; readonly at: number; readonly to: number }
  /** Everything from there on is missing. */
  | { readonly kind: 'cut'; readonly at: number }
  /** A frame comes again behind the whole stream. */
  | { readonly kind: 'late'; readonly at: number }
  /** A frame of another run stands there. */
  | { readonly kind: 'strange'; readonly at: number; readonly to: number }

const anyPlace = fc.nat({ max: 10_000 })

export const anyDamage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constantFrom('lost' as const, 'doubled' as const), at: anyPlace }),
  fc.record({ kind: fc.constantFrom('moved' as const, 'strange' as const), at: anyPlace, to: anyPlace }),
  fc.record({ kind: fc.constantFrom('cut' as const, 'late' as const), at: anyPlace }),
)

/** A copy of the frames with all of the damage done, in order. Places wrap around. */
export function damaged<Frame>(frames: readonly Frame[], damage: readonly Damage[], others: readonly Frame[]): Frame[] {
  const result = [...frames]
  for (const { kind, at, ...rest } of damage) {
    const source = kind === 'strange' ? others : result
    if (source.length === 0) continue
    const place = at % source.length
    const [frame] = source.slice(place, place + 1)
    if (frame === undefined) continue
    if (kind === 'lost') result.splice(place, 1)
    else if (kind === 'doubled') result.splice(place, 0, frame)
    else if (kind === 'cut') result.splice(place)
    else if (kind === 'late') result.push(frame)
    else {
      if (kind === 'moved') result.splice(place, 1)
      result.splice('to' in rest ? rest.to % (result.length + 1) : 0, 0, frame)
    }
  }
  return result
}

export function tellDamage(damage: Damage): string {
  const to = 'to' in damage ? ` to ${damage.to}` : ''
  return `frame ${damage.at} ${damage.kind}${to} (places wrap around)`
}
