#!/usr/bin/env python3
"""A POS that finishes its day with Carte by REST. It needs Python 3.8 and nothing else."""

import argparse
import http.client
import json
import math
import os
import random
import signal
import sys
import time
import urllib.parse

LONGEST_WAIT = 25  # seconds, the maximum of the route
LONGEST_BACKOFF = 60
NEXT_STATUS = {"ACCEPTED": "READY", "READY": "FULFILLED"}


class Refused(Exception):
    """A response that stays the same however often the request is repeated."""

    def __init__(self, status, detail):
        super().__init__(f"{status} {describe(detail)}")
        self.status = status


def describe(detail):
    if not isinstance(detail, list):
        return str(detail)
    return "\n".join(f"{'.'.join(str(key) for key in error['loc'])}: {error['msg']}" for error in detail)


class Carte:
    """Sends requests over one connection, each until it has a response. Every route can be repeated: it has one effect."""

    def __init__(self, url, key):
        self.url = urllib.parse.urlsplit(url)
        self.key = key
        self.connection = None

    def get(self, path, timeout=30, **query):
        return self.request("GET", f"{path}?{urllib.parse.urlencode(query)}", timeout=timeout)

    def post(self, path, body, **headers):
        return self.request("POST", path, json.dumps(body).encode(), headers)

    def request(self, method, path, body=None, headers=None, timeout=30):
        failures = 0
        while True:
            is_new = self.connection is None
            try:
                status, retry_after, text = self.send(method, path, body, headers or {}, timeout)
                if status < 400:
                    return json.loads(text)
                detail = read_detail(text)
                if status not in (408, 429) and status < 500:
                    raise Refused(status, detail)
                problem = f"{status} {detail}"
            except (OSError, http.client.HTTPException) as error:
                self.close()
                # The service closes idle connections: the first repetition is at once, on a new one.
                if not is_new:
                    continue
                retry_after, problem = None, f"Carte is unreachable ({error})"
            backoff = min(LONGEST_BACKOFF, 0.5 * 2**failures) * random.uniform(0.5, 1)
            delay = float(retry_after) if retry_after and retry_after.isdigit() else backoff
            failures += 1
            print(f"{problem}; retrying in {delay:.1f} s", file=sys.stderr, flush=True)
            time.sleep(delay)

    def send(self, method, path, body, headers, timeout):
        if self.connection is None:
            secure = self.url.scheme == "https"
            connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            self.connection = connect(self.url.netloc)
        self.connection.timeout = timeout
        if self.connection.sock:
            self.connection.sock.settimeout(timeout)
        headers = {"x-api-key": self.key, "content-type": "application/json", **headers}
        self.connection.request(method, self.url.path.rstrip("/") + path, body, headers)
        response = self.connection.getresponse()
        return response.status, response.getheader("retry-after"), response.read()

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


def read_detail(text):
    try:
        return json.loads(text)["detail"]
    except (ValueError, KeyError, TypeError):
        return text.decode("utf-8", "replace")


class State:
    """The cursor and the open orders, in a file that is replaced as a whole: a crash leaves the old one or the new one."""

    def __init__(self, path):
        self.path = path
        self.cursor = None
        self.orders = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                saved = json.load(file)
            self.cursor, self.orders = saved["cursor"], saved["orders"]

    def save(self):
        with open(f"{self.path}.new", "w", encoding="utf-8") as file:
            json.dump({"cursor": self.cursor, "orders": self.orders}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{self.path}.new", self.path)


class Pos:
    def __init__(self, carte, store, state, minutes):
        self.carte = carte
        self.store = urllib.parse.quote(store, safe="")
        self.path = f"/pos/v1/stores/{self.store}"
        self.state = state
        self.minutes = minutes

    def serve(self):
        if self.state.cursor is None:
            self.catch_up()
        while True:
            self.cook()
            wait = self.seconds_to_wait()
            started = time.monotonic()
            query = {"after": self.state.cursor, "kinds": "ORDER_PLACED,ORDER_CHANGED,ORDERS_CHANGED", "wait": wait}
            try:
                page = self.carte.get(f"{self.path}/events", timeout=wait + 10, **query)
            except Refused as error:
                if error.status != 410:
                    raise
                print("The cursor has expired", file=sys.stderr, flush=True)
                self.catch_up()
                continue
            events = page["events"]
            if any(event["kind"] == "ORDERS_CHANGED" for event in events):
                self.catch_up()
                continue
            self.take([event["order"] for event in events if "order" in event])
            # Last, so that what a crash interrupts is done again; doing it twice has one effect.
            self.state.cursor = page["next"]
            self.state.save()
            # Another program with the same key has ended this wait: they would end each other's for ever.
            if not events and not page["has_more"] and time.monotonic() - started < wait / 2:
                time.sleep(1)

    def catch_up(self):
        """Reads what is open: at the first start, and where events do not lead from what is known to what is."""
        # The cursor comes first, so that it misses nothing that happens meanwhile.
        cursor = self.carte.get(f"{self.path}/events")["next"]
        orders = self.open_orders()
        self.state.orders = {id: known for id, known in self.state.orders.items() if id in orders}
        self.take(list(orders.values()))
        self.state.cursor = cursor
        self.state.save()

    def open_orders(self):
        """All open orders by their ids, the oldest first."""
        orders, size = {}, 500
        query = {"status": ",".join(["PENDING", *NEXT_STATUS]), "page_size": size}
        for index in range(sys.maxsize):
            page = self.carte.get(f"/v1/stores/{self.store}/orders/", page_index=index, **query)
            # A new order moves the others to later pages, so that one may come twice.
            orders.update((order["id"], order) for order in page["order_result_list"])
            if (index + 1) * size >= page["count"]:
                return dict(reversed(list(orders.items())))

    def take(self, orders):
        """Accepts orders that are pending, and prints a ticket for those that are new here."""
        to_mark = []
        for order in orders:
            if order["status"] == "PENDING":
                order = self.change(order, "ACCEPTED") or order
            if order["status"] not in NEXT_STATUS:
                self.state.orders.pop(order["id"], None)
                continue
            known = self.state.orders.get(order["id"])
            if known is None and not order["in_pos"]:
                lines = ", ".join(f"{line.get('quantity')} {line.get('external_id')}" for line in order["items"])
                print(f"{order['id']}  {order['customer']['name']}  {order['price']}  {lines}", flush=True)
            if not order["in_pos"]:
                to_mark.append(order["id"])
            if known is None or known["status"] != order["status"]:
                self.state.orders[order["id"]] = {"status": order["status"], "since": time.time()}
        if to_mark:
            # A ticket is printed: it must not be printed again if the next request never ends.
            self.state.save()
            # The same order may have several events on a page.
            self.carte.post(f"{self.path}/orders/mark", {"order_ids": sorted(set(to_mark)), "in_pos": True})

    def change(self, order, status):
        """Changes the status of an order; None if somebody else has changed or deleted it, of which an event will tell."""
        body = {"status": status, "expected_status": order["status"]}
        try:
            return self.carte.post(f"/pos/v1/orders/{order['id']}/status", body)
        except Refused as error:
            if error.status not in (404, 409):
                raise
            return None

    def cook(self):
        """Moves orders on when they are due. In a real kitchen, somebody presses a button."""
        if not self.minutes:
            return
        due = [(id, known) for id, known in self.state.orders.items() if self.due(known) <= time.time()]
        # A few at a time, so that new orders do not wait for them.
        for id, known in due[:5]:
            changed = self.change({"id": id, **known}, NEXT_STATUS[known["status"]])
            self.take([changed] if changed else [])

    def due(self, known):
        return known["since"] + self.minutes * 60

    def seconds_to_wait(self):
        if not self.minutes:
            return LONGEST_WAIT
        next_due = min(map(self.due, self.state.orders.values()), default=time.time() + LONGEST_WAIT)
        return max(0, min(LONGEST_WAIT, math.ceil(next_due - time.time())))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", help="the id of the store")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("serve", help="accept orders and print a ticket of each, until Ctrl-C")
    command.add_argument("--state", default="pos-state.json", help="the file that remembers where it was")
    command.add_argument("--minutes", type=float, default=0, help="order is ready, then handed over, after these minutes")
    command = commands.add_parser("menu", help="replace the menu")
    command.add_argument("file", help="a JSON file, the body of the request")
    for name, help in (("sold-out", "mark items as sold out"), ("in-stock", "mark items as in stock")):
        command = commands.add_parser(name, help=help)
        command.add_argument("items", nargs="+", help="external ids")
        command.add_argument("--until", help="when they are in stock again, e.g. 2026-03-02T08:00:00Z")
    command = commands.add_parser("price", help="change the price of an item")
    command.add_argument("item", help="its external id")
    command.add_argument("price", type=int)
    command.add_argument("tax", type=int, nargs="?")
    command = commands.add_parser("status", help="change the status of an order")
    command.add_argument("order", help="its id")
    command.add_argument("status", help="e.g. READY")
    command = commands.add_parser("pause", help="take no orders for now")
    command.add_argument("--until", help="when it takes orders again")
    command.add_argument("--reason", help="for guests")
    commands.add_parser("open", help="take orders")
    options = parser.parse_args()

    carte = Carte(os.environ.get("CARTE_URL", "http://127.0.0.1:4000"), os.environ.get("CARTE_KEY", ""))
    store = urllib.parse.quote(options.store, safe="")
    path = f"/pos/v1/stores/{store}"
    if options.command == "serve":
        Pos(carte, options.store, State(options.state), options.minutes).serve()
    elif options.command == "menu":
        with open(options.file, encoding="utf-8") as file:
            menu = carte.post(f"/v1/stores/{store}/menu_configuration/", json.load(file))
        print(f"{len(menu['menu_configuration'])} menus")
    elif options.command in ("sold-out", "in-stock"):
        in_stock = options.command == "in-stock"
        items = [given(external_id=id, in_stock=in_stock, until=options.until) for id in options.items]
        print(f"revision {carte.post(f'{path}/stock', {'items': items})['revision']}")
    elif options.command == "price":
        item = given(external_id=options.item, price=options.price, tax=options.tax)
        print(f"revision {carte.post(f'{path}/prices', {'items': [item]})['revision']}")
    elif options.command == "status":
        print(carte.post(f"/pos/v1/orders/{options.order}/status", {"status": options.status})["status"])
    elif options.command == "pause":
        body = given(state="PAUSED", until=options.until, reason=options.reason)
        print(carte.post(f"{path}/ordering", body)["state"])
    elif options.command == "open":
        print(carte.post(f"{path}/ordering", {"state": "OPEN"})["state"])


def given(**fields):
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        main()
    except KeyboardInterrupt:
        pass
    except Refused as error:
        sys.exit(str(error))
