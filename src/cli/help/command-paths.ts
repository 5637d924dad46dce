import type { Command } from 'commander'

/** Every command that does something, by what a user types after the program's name, such as `rates list`. */
export function commandsByPath(parent: Command, before = ''): Map<string, Command> {
  return new Map(
    parent.commands.flatMap((command): [string, Command][] => {
      const path = `${before}${command.name()}`
      return command.commands.length === 0 ? [[path, command]] : [...commandsByPath(command, `${path} `)]
    }),
  )
}
