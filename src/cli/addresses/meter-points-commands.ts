import type { Command } from 'commander'
import { withSupplier } from '../../platform/config/address-source.ts'
import { type JsonOption, jsonOption } from '../json-option.ts'
import { importHelp } from './import-help.ts'

export function addMeterPointsCommands(program: Command): void {
  const meterPoints = program
    .command('meter-points')
    .description('Set the meters of properties that come from an address supplier.')

  meterPoints
    .command('import')
    .description(
      'Import MPANs and MPRNs by UPRN from a CSV file. Safe to repeat: a UPRN that already exists is updated.',
    )
    .argument(
      '<file>',
      'a CSV file in UTF-8, with the columns uprn,mpan,mprn; leave a meter empty if the property does not have it',
    )
    .addOption(jsonOption())
    .addHelpText('after', `${importHelp}\n${usedWhen}`)
    .action(async (file: string, options: JsonOption) =>
      (await import('./meter-points-actions.ts')).importMeters(file, options),
    )
}

const usedWhen = `
Used with ${withSupplier}. Applies from the next lookup on, even to properties
that have been looked up before. With ADDRESS_SOURCE=database, import meters with the properties: "addresses import".`
