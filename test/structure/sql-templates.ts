/** An `sql` template and the function that contains it. */
export interface SqlTemplate {
  functionName: string
  text: string
}

/**
 * Lists every `sql` template in a source text. A nested template is in the list itself and is also part of the outer
 * one.
 */
export function sqlTemplates(source: string): SqlTemplate[] {
  return [...source.matchAll(/\bsql`/g)].map(({ index }) => {
    const functions = [...source.slice(0, index).matchAll(/\bfunction (\w+)|^(?:export )?const (\w+)(?:: .*)? =/gm)]
    const [, functionName, constName] = functions.at(-1) ?? []
    return { functionName: functionName ?? constName ?? '', text: templateFrom(source, index + 'sql`'.length) }
  })
}

function templateFrom(source: string, start: number): string {
  let depth = 0
  for (let at = start; at < source.length; at += 1) {
    if (depth === 0 && source[at] === '`') return source.slice(start, at)
    if (source.startsWith('${', at)) depth += 1
    else if (source[at] === '}' && depth > 0) depth -= 1
  }
  throw new Error('a template without an end')
}
