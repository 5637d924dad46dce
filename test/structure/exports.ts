import type { TypeScriptFile } from './tree.ts'

interface Export {
  name: string
  isType: boolean
}

const declaration =
  /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(function\*?|const|let|class|interface|type|enum)\s+([\w$]+)/gm
const list = /^export\s+(type\s+)?\{([^}]*)\}/gm
const importedNames = /(?:^|\n)(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'([^']+)'/g
const importedDynamically = /\{([^{}]*)\}\s*=\s*await import\(\s*'([^']+)',?\s*\)/g
const importedWhole = /(?<!=\s*await )import\(\s*'(\.[^']+)',?\s*\)/g

/** The exports of a file, by the names that importers use. */
export function findExports({ text }: Pick<TypeScriptFile, 'text'>): Export[] {
  const declared = [...text.matchAll(declaration)].map(([, kind = '', name = '']) => ({
    name,
    isType: kind === 'interface' || kind === 'type',
  }))
  const listed = [...text.matchAll(list)].flatMap(([, type, names = '']) =>
    namesIn(names).map(({ outside }) => ({ name: outside, isType: type !== undefined })),
  )
  return [...declared, ...listed]
}

/** `path name` for each name that the file imports or re-exports from another project file. */
export function namedImports(file: TypeScriptFile): string[] {
  const targetOf = new Map(file.imports.map(({ written, target }) => [written, target]))
  return [...file.text.matchAll(importedNames), ...file.text.matchAll(importedDynamically)].flatMap(
    ([, names = '', written = '']) => namesIn(names).map(({ inside }) => `${targetOf.get(written)} ${inside}`),
  )
}

/** Files that this one imports as a whole, as in `(await import('./a.ts')).b`. */
export function wholeModuleImports(file: TypeScriptFile): (string | undefined)[] {
  const targetOf = new Map(file.imports.map(({ written, target }) => [written, target]))
  return [...file.text.matchAll(importedWhole)].map(([, written = '']) => targetOf.get(written))
}

/** The names in a braced list: `a`, `a as b`, `type a`, and `a: b` of a destructured module. */
function namesIn(list: string): { inside: string; outside: string }[] {
  return list
    .split(',')
    .map((each) => each.trim().replace(/^type\s+/, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [inside = '', outside = inside] = each.split(/\s+as\s+|\s*:\s*/)
      return { inside, outside }
    })
}
