import { Argument, type Command } from 'commander'
import { type EventType, eventTypes } from '../../events/event.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import { type AccessOptions, addAccessOptions, requireAccess, samplePostcode } from './access-options.ts'

export function addTriggerCommand(program: Command): void {
  addAccessOptions(program.command('trigger'))
    .description(
      'Make an event really happen in a sandbox, with an invented household of its own, and print it. Your webhooks get it too.',
    )
    .addArgument(new Argument('<event>', 'the event type').choices(eventTypes))
    .option('--postcode <postcode>', 'the postcode of the property', samplePostcode)
    .addOption(jsonOption())
    .action(async (type: EventType, options: AccessOptions & JsonOption & { postcode: string }, command: Command) => {
      const access = await requireAccess(options, command)
      const { triggerEvent } = await import('./trigger-action.ts')
      await triggerEvent(type, { ...access, postcode: options.postcode, ...(options.json ? { json: true } : {}) })
    })
}
