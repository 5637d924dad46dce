import { Argument, type Command } from 'commander'
import { type JsonOption, jsonOption } from '../json-option.ts'
import type { ReplaceOptions } from './replace-actions.ts'

const keyKinds = ['signing', 'links', 'hashes', 'encryption']

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Manage the keys that encrypt personal data and secrets.')
  const actions = () => import('./rotate-actions.ts')

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

  keys
    .command('replace')
    .description('Replace one kind of key while the servers run. Continues where it stopped if interrupted.')
    .addArgument(new Argument('<kind>', 'which keys').choices(keyKinds))
    .option(
      '--compromised',
      'the old key has leaked: reject at once what it signed, instead of waiting until that expires',
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
  signing     the key that signs access tokens
  links       the key that signs contract and preview links
  hashes      the key of the hashes by which people, references and repeated requests are found
  encryption  the key that encrypts personal data and secrets; the same as "keys rotate"`,
    )
    .action(async (kind: string, options: ReplaceOptions) => {
      if (kind === 'encryption') return (await actions()).rotateKeys(options)
      if (kind === 'hashes') return (await import('./replace-hash-key.ts')).replaceHashKey(options)
      const { replaceSigningKey } = await import('./replace-actions.ts')
      return replaceSigningKey(kind === 'signing' ? 'signing' : 'links', options)
    })
}
