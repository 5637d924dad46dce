import type { TypeScriptFile } from './tree.ts'

/** Groups of files that import each other in a circle: one sorted entry per circle. */
export function findImportCycles(files: readonly Pick<TypeScriptFile, 'path' | 'imports'>[]): string[][] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  const order = new Map<string, number>()
  const earliest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []

  // Tarjan's algorithm: files with the same earliest reachable file form a cycle.
  function visit(path: string): number {
    const number = order.size
    order.set(path, number)
    open.push(path)
    let low = number
    for (const target of importsOf.get(path) ?? []) {
      if (!importsOf.has(target)) continue
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low)
    }
    earliest.set(path, low)
    if (low === number) {
      const circle = open.splice(open.indexOf(path))
      if (circle.length > 1 || importsOf.get(path)?.includes(path)) cycles.push(circle)
    }
    return low
  }

  for (const path of importsOf.keys()) if (!order.has(path)) visit(path)
  return cycles
}
