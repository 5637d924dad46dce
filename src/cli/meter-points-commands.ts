import type { Command } from 'commander'
import { importHelp } from './import-help.ts'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addMeterPointsCommands(program: Command): void {
  const meterPoints = program
    .command('meter-points')
    .description('Tell which meters homes have, where the homes come from a supplier of addresses.')

  meterPoints
    .command('import')
    .description('Import MPANs and MPRNs by UPRN from a CSV file. May be repeated: a UPRN that is known is updated.')
    .argument('<file>', 'CSV in UTF-8, with the columns uprn,mpan,mprn; a meter a home does not have is left empty')
    .addOption(jsonOption())
    .addHelpText('after', `${importHelp}\n${usedWhen}`)
    .action(async (file: string, options: JsonOption) =>
      (await import('./meter-points-actions.ts')).importMeters(file, options),
    )
}

const usedWhen = `
Used with ADDRESS_SOURCE=ideal-postcodes and ADDRESS_SOURCE=os-places, from the next lookup on and whether or not a
home has been looked up before. With ADDRESS_SOURCE=database homes bring their meters: "addresses import".`
