import leven from 'leven'
import type { Logger } from 'pino'
import { variableNames } from './env.ts'

/**
 * The variables of the environment whose name is not ours but close to one of ours, with the name that was probably
 * meant.
 */
export function findCloseNames(environment: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const ours: ReadonlySet<string> = new Set(variableNames)
  return Object.keys(environment).flatMap((name) => {
    if (ours.has(name)) return []
    const meant = variableNames.find((each) => leven(name.toUpperCase(), each) <= allowed(each))
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** Warns of them: a setting with a mistyped name has no effect. */
export function warnOfCloseNames(log: Pick<Logger, 'warn'>, environment: NodeJS.ProcessEnv): void {
  for (const { name, meant } of findCloseNames(environment))
    log.warn({ variable: name, meant }, 'unknown setting has no effect; its name is close to one of ours')
}

/** Short names are close to many others: HOME and PATH are not HOST and PORT. */
function allowed({ length }: string): number {
  return length < 8 ? 1 : 2
}
