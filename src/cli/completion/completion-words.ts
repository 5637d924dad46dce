import type { Command, Option } from 'commander'

/** What may follow on the command line: after a command (`housebill rates`), or after one of its options (`housebill report funnel --format`). */
export type CompletionWords = readonly (readonly [after: string, words: readonly string[]])[]

/** What may follow each command and each option that takes a value; no words stand for a file or free text. */
export function completionWords(command: Command, before = ''): CompletionWords {
  const after = `${before}${command.name()}`
  const options = command.options.filter(({ hidden }) => !hidden)
  const words = [
    ...command.commands.map((each) => each.name()),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...options.map(longName),
    '--help',
  ]
  const values = options
    .filter(({ required, optional }) => required || optional)
    .map((option) => [`${after} ${longName(option)}`, option.argChoices ?? []] as const)
  return [[after, words], ...values, ...command.commands.flatMap((each) => completionWords(each, `${after} `))]
}

function longName({ long, flags }: Option): string {
  return long ?? flags
}
