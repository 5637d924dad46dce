import { addExamples } from '../help/examples.ts'
import { addJourneyCommand } from '../journey-command.ts'
import { describeCommandError, newProgram, runProgram } from '../run-program.ts'
import { addListenCommand } from './listen-command.ts'
import { addTriggerCommand } from './trigger-command.ts'

/*
 * The program of the package housebill-client: the commands that only speak HTTP, for a machine without Housebill.
 */
function create() {
  const program = newProgram('housebill-client').description("For a partner's developers: any deployment, over HTTP.")
  for (const add of [addJourneyCommand, addListenCommand, addTriggerCommand]) add(program)
  addExamples(program)
  return program
}

function describe(error: unknown) {
  const { message, stack = '' } = error as Error
  const unforeseen = { code: 'internal_error', message, problems: [], details: {}, result: {}, stack }
  return describeCommandError(error) ?? unforeseen
}

process.exitCode = await runProgram({ create, describe }, process.argv.slice(2))
