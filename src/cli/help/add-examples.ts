import type { Command } from 'commander'
import { coloured } from '../coloured.ts'
import { commandsByPath } from './command-paths.ts'
import { examples } from './examples.ts'

/** Adds the examples of `examples.ts` to the end of each command's help. */
export function addExamples(program: Command): void {
  for (const [path, command] of commandsByPath(program)) {
    const lines = examples[path]
    if (lines === undefined) continue
    command.addHelpText('after', () =>
      [
        '',
        coloured('heading', 'Examples:'),
        ...lines.map((line) => `  npx housebill ${path}${line && ` ${line}`}`),
      ].join('\n'),
    )
  }
}
