import { existsSync, readFileSync } from 'node:fs'

/** The ids of a process and its descendants, without those in the trees of `except`. Only on Linux; elsewhere, the process alone. */
export function processTree(root: number, except: readonly number[] = []): number[] {
  if (except.includes(root)) return []
  return [root, ...childrenOf(root).flatMap((child) => processTree(child, except))]
}

/** The ids of the child processes that this process has now. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'latin1').split(' ').filter(Boolean).map(Number) : []
}
