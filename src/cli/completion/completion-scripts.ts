import type { CompletionWords } from './completion-words.ts'
import type { Shell } from './shells.ts'

/*
 * Every script follows the words that were typed to a command, and offers what may follow the last option or else that command. If that is nothing, the shell
 * completes names of files.
 */
export const completionScripts: Readonly<Record<Shell, (words: CompletionWords) => string>> = {
  bash: (words) => `${posixTable(words)}
_housebill() {
  local at=housebill word place words
  for ((place = 1; place < COMP_CWORD; place++)); do
    word=\${COMP_WORDS[place]}
    [[ $word != -* ]] && _housebill_words "$at $word" >/dev/null && at="$at $word"
  done
  words=$(_housebill_words "$at \${COMP_WORDS[COMP_CWORD - 1]}") || words=$(_housebill_words "$at")
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _housebill housebill`,

  zsh: (words) => `#compdef housebill
${posixTable(words)}
_housebill() {
  local at=housebill word found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word != -* ]] && _housebill_words "$at $word" >/dev/null && at="$at $word"
  done
  found=$(_housebill_words "$at \${words[CURRENT-1]}") || found=$(_housebill_words "$at")
  compadd -- \${=found} || _files
}
if [[ $funcstack[1] == _housebill ]]; then _housebill "$@"; else compdef _housebill housebill; fi`,

  fish: (words) => `function __housebill_words
  switch "$argv[1]"
${words.map(([after, each]) => `    case '${after}'\n      string split ' ' '${each.join(' ')}'`).join('\n')}
    case '*'
      return 1
  end
end
function __housebill_complete
  set -l typed (commandline -opc)
  set -l at housebill
  for word in $typed
    if not string match -q -- '-*' $word; and __housebill_words "$at $word" >/dev/null
      set at "$at $word"
    end
  end
  __housebill_words "$at $typed[-1]"; or __housebill_words $at
end
complete -c housebill -a '(__housebill_complete)'`,
}

/** A shell function that prints what may follow, and fails for what is neither a command nor such an option. */
function posixTable(words: CompletionWords): string {
  const rows = words.map(([after, each]) => `  '${after}') echo '${each.join(' ')}' ;;`)
  return ['_housebill_words() {', '  case "$1" in', ...rows, '  *) return 1 ;;', '  esac', '}'].join('\n')
}
