import type { Command } from 'commander'
import { type JsonOption, jsonOption, printJson } from './json-option.ts'
import { print } from './print.ts'

/** Works in bash and in zsh. */
const script = `_housebill() {
  local words=$(housebill completion -- "\${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
[ -n "\${ZSH_VERSION:-}" ] && autoload -U +X bashcompinit && bashcompinit
complete -o default -F _housebill housebill`

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print what makes bash or zsh complete commands, and operations and fields of "call".')
    .argument('[words...]', 'a command line: print the words that can follow it instead')
    .addOption(jsonOption())
    .addHelpText('after', '\nIn your ~/.bashrc or ~/.zshrc: eval "$(housebill completion)"')
    .action(async (words: string[], { json }: JsonOption) => {
      const lines = words.length === 0 ? script.split('\n') : await followingWords(program, words.slice(1))
      if (json) printJson({ lines })
      else print(lines.join('\n'))
    })
}

async function followingWords(program: Command, typed: readonly string[]): Promise<string[]> {
  let command = program
  for (const word of typed) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) continue
    command = next.name() === 'call' ? await operationsOf(next, typed) : next
  }
  if (command.commands.length > 0) return command.commands.map((each) => each.name())
  return command.options.flatMap(({ long }) => long ?? [])
}

/** The operations of the deployment of this environment. */
async function operationsOf(call: Command, typed: readonly string[]): Promise<Command> {
  const { readOperations } = await import('./call/call-action.ts')
  return readOperations(typed.includes('--partner') ? { partner: true } : {}, call)
}
