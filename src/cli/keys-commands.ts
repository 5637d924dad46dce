import type { Command } from 'commander'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Look after the keys that encrypt personal data and secrets.')
  const actions = () => import('./keys-actions.ts')

  keys
    .command('status')
    .description('Say how much is encrypted with each key, and which may be taken away.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).status(options))

  keys
    .command('rotate')
    .description(
      'Encrypt everything with a new key, beside running servers; after an interruption it goes on where it was. With ENCRYPTION_KEYS set it first prints a new key and how to roll it out.',
    )
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).rotate(options))
}
