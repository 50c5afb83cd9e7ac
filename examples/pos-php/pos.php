<?php
// A POS that finishes its day with Carte by REST. It needs PHP 8.0 and no extension.
//   php pos.php STORE serve [STATE-FILE]
//   php pos.php STORE menu FILE | sold-out ITEM… | in-stock ITEM… | price ITEM PRICE [TAX] | status ORDER STATUS | pause [REASON] | open

declare(strict_types=1);

const LONGEST_WAIT = 25; // seconds, the maximum of the route
const LONGEST_BACKOFF = 60;
const OPEN_STATUSES = ['PENDING', 'ACCEPTED', 'READY'];

/** A response that stays the same however often the request is repeated. */
class Refused extends Exception
{
}

/** Sends requests, each until it has a response. Every route can be repeated: it has one effect. */
class Carte
{
    public function __construct(private string $url, private string $key)
    {
    }

    public function get(string $path, array $query = [], int $timeout = 30): array
    {
        return $this->request('GET', $path . '?' . http_build_query($query), null, $timeout);
    }

    /** The body is a value, or its JSON. */
    public function post(string $path, array|string $body): array
    {
        $json = is_string($body) ? $body : json_encode($body, JSON_THROW_ON_ERROR);
        return $this->request('POST', $path, $json, 30);
    }

    private function request(string $method, string $path, ?string $body, int $timeout): array
    {
        $options = [
            'method' => $method,
            'header' => ["x-api-key: $this->key", 'content-type: application/json', 'connection: close'],
            'content' => $body ?? '',
            'timeout' => $timeout,
            'ignore_errors' => true, // Bodies of errors are wanted, too.
            'protocol_version' => 1.1,
        ];
        for ($failures = 0; ; $failures++) {
            $http_response_header = [];
            $text = @file_get_contents(rtrim($this->url, '/') . $path, false, stream_context_create(['http' => $options]));
            [$status, $retryAfter] = readHeaders($http_response_header);
            $decoded = json_decode((string) $text, true);
            // A response that was cut off is no JSON.
            if ($status >= 200 && $status < 300 && is_array($decoded)) {
                return $decoded;
            }
            $detail = describe($decoded['detail'] ?? (string) $text);
            if ($status >= 400 && $status < 500 && $status !== 408 && $status !== 429) {
                throw new Refused("$status $detail", $status);
            }
            $backoff = min(LONGEST_BACKOFF, 0.5 * 2 ** $failures) * random_int(50, 100) / 100;
            $delay = $retryAfter ?? $backoff;
            $problem = $status >= 400 ? "$status $detail" : 'Carte is unreachable';
            fprintf(STDERR, "%s; retrying in %.1f s\n", $problem, $delay);
            usleep((int) ($delay * 1e6));
        }
    }
}

/** Status, 0 without a response, and seconds of Retry-After. */
function readHeaders(array $headers): array
{
    $status = preg_match('~^HTTP/\S+ (\d+)~', $headers[0] ?? '', $found) ? (int) $found[1] : 0;
    $retryAfter = preg_grep('/^retry-after: *\d+$/i', $headers);
    return [$status, $retryAfter ? (float) explode(':', reset($retryAfter))[1] : null];
}

function describe(mixed $detail): string
{
    if (!is_array($detail)) {
        return (string) $detail;
    }
    return implode("\n", array_map(fn ($error) => implode('.', $error['loc']) . ": {$error['msg']}", $detail));
}

class Pos
{
    private ?string $cursor = null;
    /** The open orders whose tickets are printed: the status of each by its id. */
    private array $orders = [];
    private string $path;

    public function __construct(private Carte $carte, private string $store, private string $file)
    {
        $this->path = "/pos/v1/stores/$store";
        if (is_file($file)) {
            ['cursor' => $this->cursor, 'orders' => $this->orders] = json_decode(file_get_contents($file), true);
        }
    }

    /** Replaces the file as a whole: a crash leaves the old one or the new one. */
    private function save(): void
    {
        $state = json_encode(['cursor' => $this->cursor, 'orders' => (object) $this->orders], JSON_THROW_ON_ERROR);
        if (file_put_contents("$this->file.new", $state) === false || !rename("$this->file.new", $this->file)) {
            throw new RuntimeException("$this->file cannot be written");
        }
    }

    public function serve(): never
    {
        if ($this->cursor === null) {
            $this->catchUp();
        }
        $query = ['kinds' => 'ORDER_PLACED,ORDER_CHANGED,ORDERS_CHANGED', 'wait' => LONGEST_WAIT];
        for (; ;) {
            $started = microtime(true);
            try {
                $page = $this->carte->get("$this->path/events", ['after' => $this->cursor] + $query, LONGEST_WAIT + 10);
            } catch (Refused $error) {
                if ($error->getCode() !== 410) {
                    throw $error;
                }
                fwrite(STDERR, "The cursor has expired\n");
                $this->catchUp();
                continue;
            }
            if (in_array('ORDERS_CHANGED', array_column($page['events'], 'kind'), true)) {
                $this->catchUp();
                continue;
            }
            $this->take(array_column($page['events'], 'order'));
            // Last, so that what a crash interrupts is done again; doing it twice has one effect.
            $this->cursor = $page['next'];
            $this->save();
            // Another program with the same key has ended this wait: they would end each other's for ever.
            if (!$page['events'] && !$page['has_more'] && microtime(true) - $started < LONGEST_WAIT / 2) {
                sleep(1);
            }
        }
    }

    /** Reads what is open: at the first start, and where events do not lead from what is known to what is. */
    private function catchUp(): void
    {
        // The cursor comes first, so that it misses nothing that happens meanwhile.
        $cursor = $this->carte->get("$this->path/events")['next'];
        $open = $this->openOrders();
        $this->orders = array_intersect_key($this->orders, $open);
        $this->take(array_values($open));
        $this->cursor = $cursor;
        $this->save();
    }

    /** All open orders by their ids, the oldest first. */
    private function openOrders(): array
    {
        $orders = [];
        $query = ['status' => implode(',', OPEN_STATUSES), 'page_size' => 500];
        for ($index = 0; ; $index++) {
            $page = $this->carte->get("/v1/stores/$this->store/orders/", $query + ['page_index' => $index]);
            // A new order moves the others to later pages, so that one may come twice.
            $orders += array_column($page['order_result_list'], null, 'id');
            if (($index + 1) * 500 >= $page['count']) {
                return array_reverse($orders, true);
            }
        }
    }

    /** Accepts orders that are pending, and prints a ticket for those that are new here. */
    private function take(array $orders): void
    {
        $toMark = [];
        foreach ($orders as $order) {
            if ($order['status'] === 'PENDING') {
                $order = $this->accept($order) ?? $order;
            }
            ['id' => $id, 'status' => $status] = $order;
            if ($status === 'PENDING' || !in_array($status, OPEN_STATUSES, true)) {
                unset($this->orders[$id]);
                continue;
            }
            if (!isset($this->orders[$id]) && !$order['in_pos']) {
                $lines = array_map(fn ($line) => ($line['quantity'] ?? '') . ' ' . ($line['external_id'] ?? ''), $order['items']);
                printf("%s  %s  %d  %s\n", $id, $order['customer']['name'], $order['price'], implode(', ', $lines));
            }
            if (!$order['in_pos']) {
                $toMark[$id] = $id;
            }
            $this->orders[$id] = $status;
        }
        if ($toMark) {
            // A ticket is printed: it must not be printed again if the next request never ends.
            $this->save();
            $this->carte->post("$this->path/orders/mark", ['order_ids' => array_values($toMark), 'in_pos' => true]);
        }
    }

    /** Accepts an order; null if somebody else has changed or deleted it, of which an event will tell. */
    private function accept(array $order): ?array
    {
        try {
            $body = ['status' => 'ACCEPTED', 'expected_status' => 'PENDING'];
            return $this->carte->post("/pos/v1/orders/{$order['id']}/status", $body);
        } catch (Refused $error) {
            if (!in_array($error->getCode(), [404, 409], true)) {
                throw $error;
            }
            return null;
        }
    }
}

function run(Carte $carte, string $storeId, string $command, array $arguments): string
{
    $store = rawurlencode($storeId);
    $path = "/pos/v1/stores/$store";
    $setStock = function (bool $inStock) use ($carte, $path, $arguments): string {
        $items = array_map(fn ($id) => ['external_id' => $id, 'in_stock' => $inStock], $arguments);
        return "revision {$carte->post("$path/stock", ['items' => $items])['revision']}";
    };
    [$first, $second, $third] = $arguments + [null, null, null];
    switch ($command) {
        case 'serve':
            (new Pos($carte, $store, $first ?? 'pos-state.json'))->serve();
            // no break
        case 'menu':
            $menu = $carte->post("/v1/stores/$store/menu_configuration/", (string) file_get_contents($first));
            return count($menu['menu_configuration']) . ' menus';
        case 'sold-out':
            return $setStock(false);
        case 'in-stock':
            return $setStock(true);
        case 'price':
            $item = ['external_id' => $first, 'price' => (int) $second] + ($third === null ? [] : ['tax' => (int) $third]);
            return "revision {$carte->post("$path/prices", ['items' => [$item]])['revision']}";
        case 'status':
            return $carte->post("/pos/v1/orders/$first/status", ['status' => $second])['status'];
        case 'pause':
            $reason = $first === null ? [] : ['reason' => $first];
            return $carte->post("$path/ordering", ['state' => 'PAUSED'] + $reason)['state'];
        case 'open':
            return $carte->post("$path/ordering", ['state' => 'OPEN'])['state'];
        default:
            throw new InvalidArgumentException("$command is no command; the head of this file lists them");
    }
}

try {
    [, $store, $command] = $argv + [null, '', ''];
    $carte = new Carte(getenv('CARTE_URL') ?: 'http://127.0.0.1:4000', getenv('CARTE_KEY') ?: '');
    echo run($carte, $store, $command, array_slice($argv, 3)), "\n";
} catch (Refused | InvalidArgumentException | RuntimeException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    exit(1);
}
