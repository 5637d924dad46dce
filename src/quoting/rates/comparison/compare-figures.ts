import type { RateCard } from '../rate-card.ts'

/**
 * One figure that two cards do not share. `pointer` names packages by their id; null if a card does not have the
 * figure.
 */
export interface FigureDifference {
  pointer: string
  before: string | number | boolean | null
  after: string | number | boolean | null
}

/**
 * Every figure, text and date that differs, in the order of `before`, then what only `after` has. Ignores the cards'
 * ids.
 */
export function compareFigures(before: RateCard, after: RateCard): FigureDifference[] {
  const [old, fresh] = [figuresOf(before), figuresOf(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((pointer) => ({ pointer, before: old.get(pointer) ?? null, after: fresh.get(pointer) ?? null }))
    .filter((figure) => figure.before !== figure.after)
}

/** The card's figures by JSON pointer. A package is named by its id, because its place in the file means nothing. */
function figuresOf({ id: _, packages, ...card }: RateCard): Map<string, string | number | boolean> {
  const byId = Object.fromEntries(packages.map(({ packageId, ...figures }) => [packageId, figures]))
  return new Map(leavesOf({ ...card, packages: byId }, ''))
}

function leavesOf(value: unknown, pointer: string): [string, string | number | boolean][] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[pointer, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${pointer}/${key}`))
}
