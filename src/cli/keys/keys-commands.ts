import { Argument, type Command } from 'commander'
import { type JsonOption, jsonOption } from '../print.ts'
import type { ReplacedKind, ReplaceOptions } from './key-actions.ts'

const keyKinds: readonly ReplacedKind[] = ['signing', 'links', 'hashes', 'encryption']

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Manage the keys that encrypt, sign and hash.')
  const actions = () => import('./key-actions.ts')

  keys
    .command('status')
    .description('Show how much is encrypted with each key, and which keys can be removed.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printKeyStatus(options))

  keys
    .command('replace')
    .description('Replace one kind of key: encryption keys while the servers run, the others while none does.')
    .addArgument(new Argument('<kind>', 'which keys').choices(keyKinds))
    .option('--compromised', 'the old key has leaked: reject what it signed, instead of waiting until that expires')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
  signing     the key that signs access tokens
  links       the key that signs contract and preview links
  hashes      the key of the hashes by which people, references and repeated requests are found
  encryption  re-encrypts everything with the first of ENCRYPTION_KEYS, and says when the others can go`,
    )
    .action(async (kind: ReplacedKind, options: ReplaceOptions) => (await actions()).replaceKeys(kind, options))
}
