#!/usr/bin/env bash
# Replaces the menu configuration of a store with a file, and prints the validation errors if it is rejected:
#   CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… upload.sh lisbon-baixa menu.json [ETAG]
# With the ETag of an earlier response, e.g. '"7-3c092adb"', only if nobody has changed the configuration since.
# The exit status is 0 on success, 1 if the request was rejected, 2 if it could not be sent.
set -euo pipefail

if (($# < 2 || $# > 3)); then
  echo "usage: $0 STORE FILE [ETAG]" >&2
  exit 2
fi
store=$1 file=$2 etag=${3-}
url=${CARTE_URL:-http://127.0.0.1:4000}
if [[ ! -r $file ]]; then
  echo "$file cannot be read" >&2
  exit 2
fi

response=$(mktemp)
trap 'rm -f "$response" "$response.headers"' EXIT

# The key is passed on standard input, because command-line arguments are visible to all users of the machine.
# The POST is idempotent, so curl may retry it. --location follows a redirect with the body (307).
status=$(
  printf 'header = "x-api-key: %s"\n' "${CARTE_KEY:?is not set}" |
    curl --config - --silent --show-error --location --max-time 60 --retry 3 \
      --header 'content-type: application/json' ${etag:+--header "if-match: $etag"} --data-binary "@$file" \
      --output "$response" --dump-header "$response.headers" --write-out '%{http_code}' \
      "$url/v1/stores/$(jq -rn --arg id "$store" '$id | @uri')/menu_configuration/"
) || exit 2

# ["body","items",3,"price"] → items[3].price
path='def path_of:
  if .type == "json_invalid" then "character \(.loc[1])"
  elif .loc == ["body"] then "body"
  else .loc[1:] | map(if type == "number" then "[\(.)]" else ".\(.)" end) | add | ltrimstr(".")
  end;'

case $status in
  200)
    etag=$(awk 'tolower($1) == "etag:" { print $2 }' "$response.headers" | tr -d '\r' | tail -n 1)
    jq -r --arg etag "$etag" '"\(.menu_configuration | length) menus, ETag \($etag)"' "$response"
    ;;
  422)
    jq -r "$path"' .detail[] | "\(path_of): \(.msg)"' "$response"
    echo "$file was rejected, nothing was changed" >&2
    exit 1
    ;;
  *)
    jq -r '.detail' "$response" >&2 || cat "$response" >&2
    exit 1
    ;;
esac
