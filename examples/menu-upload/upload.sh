#!/usr/bin/env bash
# Replaces the menu configuration of a store by a file, and says what is wrong with the file if it is refused:
#   CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… upload.sh lisbon-baixa menu.json [TAG]
# With the tag of an earlier answer, e.g. '"7-3c092adb"', only if nobody has changed the configuration since.
# The exit status is 0 when it holds, 1 when it was refused, 2 when it could not be asked for.
set -euo pipefail

if (($# < 2 || $# > 3)); then
  echo "usage: $0 STORE FILE [TAG]" >&2
  exit 2
fi
store=$1 file=$2 tag=${3-}
url=${CARTE_URL:-http://127.0.0.1:4000}
if [[ ! -r $file ]]; then
  echo "$file cannot be read" >&2
  exit 2
fi

answer=$(mktemp)
trap 'rm -f "$answer" "$answer.headers"' EXIT

# The key goes through standard input: arguments of a command can be seen by everyone on the machine.
# A write may be repeated: the same body again changes nothing. --location follows a redirect with the body (307).
status=$(
  printf 'header = "x-api-key: %s"\n' "${CARTE_KEY:?is not set}" |
    curl --config - --silent --show-error --location --max-time 60 --retry 3 \
      --header 'content-type: application/json' ${tag:+--header "if-match: $tag"} --data-binary "@$file" \
      --output "$answer" --dump-header "$answer.headers" --write-out '%{http_code}' \
      "$url/v1/stores/$(jq -rn --arg id "$store" '$id | @uri')/menu_configuration/"
) || exit 2

# ["body","items",3,"price"] → items[3].price
place='def place:
  if .type == "json_invalid" then "character \(.loc[1])"
  elif .loc == ["body"] then "the whole"
  else .loc[1:] | map(if type == "number" then "[\(.)]" else ".\(.)" end) | add | ltrimstr(".")
  end;'

case $status in
  200)
    etag=$(awk 'tolower($1) == "etag:" { print $2 }' "$answer.headers" | tr -d '\r' | tail -n 1)
    jq -r --arg etag "$etag" '"\(.menu_configuration | length) menus, tag \($etag)"' "$answer"
    ;;
  422)
    jq -r "$place"' .detail[] | "\(place): \(.msg)"' "$answer"
    echo "$file was refused, nothing was changed" >&2
    exit 1
    ;;
  *)
    jq -r '.detail' "$answer" >&2 || cat "$answer" >&2
    exit 1
    ;;
esac
