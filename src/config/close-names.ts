import type { Logger } from 'pino'
import { variableNames } from './env.ts'

/** The variables of the environment whose name is not ours but close to one of ours, with the name that was probably meant. */
export function findCloseNames(environment: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const ours: ReadonlySet<string> = new Set(variableNames)
  return Object.keys(environment).flatMap((name) => {
    if (ours.has(name)) return []
    const meant = variableNames.find((each) => distance(name.toUpperCase(), each) <= allowed(each))
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** Warns of them: a setting with a mistyped name has no effect. */
export function warnOfCloseNames(log: Pick<Logger, 'warn'>, environment: NodeJS.ProcessEnv = process.env): void {
  for (const { name, meant } of findCloseNames(environment))
    log.warn({ variable: name, meant }, 'unknown setting has no effect; its name is close to one of ours')
}

/** Short names are close to many others: HOME and PATH are not HOST and PORT. */
function allowed({ length }: string): number {
  return length < 8 ? 1 : 2
}

/** The number of letters to insert, remove, replace or swap with their neighbour, to make one text of the other. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const at = (back: number, column: number) => (back === 0 ? current : rows[row - back])?.[column] ?? 0
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const candidates = [at(1, column) + 1, at(0, column - 1) + 1, at(1, column - 1) + (isSame ? 0 : 1)]
      current.push(Math.min(...candidates, ...(isSwap ? [at(2, column - 2) + 1] : [])))
    }
    rows.push(current)
  }
  return rows[one.length]?.[other.length] ?? 0
}
