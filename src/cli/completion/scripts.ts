import { type Grammar, slotsOf, type Word } from './grammar.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A script that completes the command line in a shell. Where no word fits, it is a file. */
export function completionScript(grammar: Grammar, shell: Shell): string {
  const name = grammar[0]?.path ?? '';
  switch (shell) {
    case 'bash':
      return bashScript(name, grammar);
    case 'zsh':
      return zshScript(name, grammar);
    case 'fish':
      return fishScript(name, grammar);
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const wordsOf = (words: readonly Word[]) => quoted(words.map(({ word }) => word).join(' '));

const cases = (branches: readonly (readonly [string, string])[], indent: string) =>
  branches.map(([place, action]) => `${indent}${quoted(place)}) ${action} ;;`).join('\n');

/** The paths of all commands but the program itself, and the options that take a value, each after its command. */
function turningPoints(grammar: Grammar) {
  return {
    commands: grammar.slice(1).map(({ path }) => quoted(path)),
    valued: grammar.flatMap(({ path, options }) =>
      options.filter(({ takesValue }) => takesValue).map(({ word }) => quoted(`${path} ${word}`)),
    ),
  };
}

/** Goes over the words before the one to complete; bash and zsh read it alike. */
function findPlace(name: string, grammar: Grammar, words: string): string {
  const { commands, valued } = turningPoints(grammar);
  return `  local at=${name} given=0 option= word
  for word in ${words}; do
    if [[ -n $option ]]; then option=; continue; fi
    case "$at $word" in
      ${commands.join('|')}) at="$at $word" ;;
      ${valued.join('|')}) option=$word ;;
      *' -'*) ;;
      *) given=$((given + 1)) ;;
    esac
  done`;
}

function bashScript(name: string, grammar: Grammar): string {
  const options = grammar.map(({ path, options }) => [path, `words=${wordsOf(options)}`] as const);
  const slots = slotsOf(grammar).map(({ place, words }) => [place, `words=${wordsOf(words)}`] as const);
  return `# Completes ${name} in bash: source <(${name} completion bash)
_${name}() {
${findPlace(name, grammar, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local words= current=\${COMP_WORDS[COMP_CWORD]}
  if [[ -z $option && $current == -* ]]; then
    case "$at" in
${cases(options, '      ')}
    esac
  else
    case "$at \${option:-$given}" in
${cases(slots, '      ')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}`;
}

function zshScript(name: string, grammar: Grammar): string {
  // A colon parts a word from its description.
  const pairs = (words: readonly Word[]) =>
    words.map(({ word, description }) => quoted(`${word}:${description.replaceAll(':', '\\:')}`)).join(' ');
  const options = grammar.map(({ path, options }) => [path, `found=(${pairs(options)})`] as const);
  const slots = slotsOf(grammar).map(({ place, words }) => [place, `found=(${pairs(words)})`] as const);
  return `#compdef ${name}
# Completes ${name} in zsh: source <(${name} completion zsh)
_${name}() {
${findPlace(name, grammar, `"\${(@)words[2,CURRENT-1]}"`)}
  local -a found
  if [[ -z $option && $words[CURRENT] == -* ]]; then
    case "$at" in
${cases(options, '      ')}
    esac
  else
    case "$at \${option:-$given}" in
${cases(slots, '      ')}
    esac
  fi
  if (( $#found )); then _describe ${name} found; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`;
}

function fishScript(name: string, grammar: Grammar): string {
  const { commands, valued } = turningPoints(grammar);
  const offer = (place: string, { word, description }: Word) =>
    `complete -c ${name} -f -n ${quoted(`__${name}_at ${quoted(place)}`)} -a ${quoted(word)} -d ${quoted(description)}`;
  const option = (path: string, { word, description }: Word, takesValue: boolean) =>
    `complete -c ${name} -n ${quoted(`__${name}_in ${quoted(path)}`)} -l ${word.replace(/^--/, '')}${takesValue ? ' -r' : ''} -d ${quoted(description)}`;
  return `# Completes ${name} in fish: ${name} completion fish | source
function __${name}_place
  set -l at ${name}
  set -l given 0
  set -l option
  for word in (commandline -opc)[2..-1]
    if test -n "$option"
      set option
      continue
    end
    switch "$at $word"
      case ${commands.join(' ')}
        set at "$at $word"
      case ${valued.join(' ')}
        set option $word
      case '* -*'
      case '*'
        set given (math $given + 1)
    end
  end
  echo $at
  test -n "$option"; and echo "$at $option"; or echo "$at $given"
end
function __${name}_in
  contains -- $argv[1] (__${name}_place)[1]
end
function __${name}_at
  contains -- $argv[1] (__${name}_place)[2]
end
${slotsOf(grammar)
  .flatMap(({ place, words }) => words.map(word => offer(place, word)))
  .join('\n')}
${grammar.flatMap(({ path, options }) => options.map(each => option(path, each, each.takesValue))).join('\n')}`;
}
