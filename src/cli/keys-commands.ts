import type { Command } from 'commander'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Manage the keys that encrypt personal data and secrets.')
  const actions = () => import('./keys-actions.ts')

  keys
    .command('status')
    .description('Show how much is encrypted with each key, and which keys can be removed.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printKeyStatus(options))

  keys
    .command('rotate')
    .description(
      'Re-encrypt everything with a new key while the servers run. Continues where it stopped if interrupted. If ENCRYPTION_KEYS is set, it first prints a new key and how to roll it out.',
    )
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).rotateKeys(options))
}
