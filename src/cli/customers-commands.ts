import type { Command } from 'commander'
import type { EraseOptions } from './customers-actions.ts'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addCustomersCommands(program: Command): void {
  const customers = program.command('customers').description("Export a person's data, or erase them.")
  const actions = () => import('./customers-actions.ts')

  customers
    .command('export')
    .description('Print everything held about a customer, as JSON. The audit log keeps who read it.')
    .argument('<id>', 'the customerId')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).exportOne(id, options))

  customers
    .command('erase')
    .description('Erase a customer, but for what the law needs of a contract. There is no way back.')
    .argument('<id>', 'the customerId')
    .option('--force', 'also while their contract runs: their card is deleted too, so that nothing can be collected')
    .addOption(jsonOption())
    .action(async (id: string, options: EraseOptions) => (await actions()).erase(id, options))
}
