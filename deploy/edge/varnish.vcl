vcl 4.1;

# Varnish 7 in front of Carte, with xkey and var of varnish-modules (Debian: apt-get install varnish varnish-modules).
# It stores what Carte calls public, which has a publishable key in its URL, and passes everything else on as it is.

import std;
import var;
import xkey;

backend carte {
  .host = "127.0.0.1";
  .port = "4000";
  # Beyond CARTE_EDGE_PURGE_AGAIN_SECONDS a response could reach the cache after the last purge of what it shows.
  .first_byte_timeout = 8s;
  .between_bytes_timeout = 8s;
}

# The processes of Carte. Where TLS ends on this machine, everybody comes from 127.0.0.1: the secret tells Carte from others.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ purgers || std.getenv("CARTE_EDGE_PURGE_SECRET") == ""
        || req.http.x-purge-secret != std.getenv("CARTE_EDGE_PURGE_SECRET")) {
      return (synth(403));
    }
    if (req.http.x-purge-tag !~ "^[!-~]+$") {
      return (synth(400, "One tag in x-purge-tag"));
    }
    # Before the purge: a response that is fetched already must not be stored after it.
    var.global_set(req.http.x-purge-tag, std.time2real(now, 0.0));
    set req.http.x-purged = xkey.purge(req.http.x-purge-tag);
    return (synth(200));
  }
  unset req.http.x-purge-secret;
  if (req.http.upgrade ~ "(?i)websocket") {
    return (pipe);
  }
  # Neither a header nor a cookie is part of what is stored.
  if (req.method != "GET" && req.method != "HEAD"
      || req.http.x-api-key || req.http.authorization || req.http.x-carte-cost
      || req.url !~ "[?&]key=carte_pub_[A-Za-z0-9_-]+(&|$)") {
    return (pass);
  }
  unset req.http.cookie;
  return (hash);
}

sub vcl_pipe {
  set bereq.http.upgrade = req.http.upgrade;
  set bereq.http.connection = req.http.connection;
}

sub vcl_backend_fetch {
  set bereq.http.x-fetched-at = std.time2real(now, 0.0);
}

sub vcl_backend_response {
  if (bereq.uncacheable || beresp.http.cache-control !~ "(?i)\bpublic\b" || !beresp.http.surrogate-key) {
    # Others that ask for the same do not wait for each other, and the next response that is public is stored.
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    set beresp.grace = 0s;
    return (deliver);
  }
  # Rendered before a change, perhaps, whose purge has come before this response.
  if (std.real(var.global_get("carte"), 0.0) >= std.real(bereq.http.x-fetched-at, 0.0)
      || std.real(var.global_get(regsub(beresp.http.surrogate-key, "^.*\b(store:\S+).*$", "\1")), 0.0) >= std.real(bereq.http.x-fetched-at, 0.0)
      || std.real(var.global_get(regsub(beresp.http.surrogate-key, "^.*\b(menu:\S+).*$", "\1")), 0.0) >= std.real(bereq.http.x-fetched-at, 0.0)
      || std.real(var.global_get(regsub(beresp.http.surrogate-key, "^.*\b(key:\S+).*$", "\1")), 0.0) >= std.real(bereq.http.x-fetched-at, 0.0)) {
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    set beresp.grace = 0s;
    return (deliver);
  }
  set beresp.http.xkey = beresp.http.surrogate-key;
}

sub vcl_deliver {
  set resp.http.x-cache = "miss";
  if (obj.hits > 0) {
    set resp.http.x-cache = "hit";
  }
  # Stale responses are for this cache alone: a browser asks again each time.
  if (resp.http.xkey) {
    set resp.http.cache-control = "public, max-age=0, must-revalidate";
  }
  unset resp.http.xkey;
  unset resp.http.surrogate-key;
  unset resp.http.cache-tag;
}
