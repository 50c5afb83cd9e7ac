#!/bin/sh
# Run once on a node, when etcd has started and before Patroni does: from then on etcd wants a password, and Patroni's reads and writes its cluster alone.
# ETCD_ROOT_PASSWORD is for people, PATRONI_ETCD_PASSWORD is that of node.env.
set -eu
export ETCDCTL_API=2
etcdctl() {
  command etcdctl --endpoints "$ETCD_ADVERTISE_CLIENT_URLS" --ca-file /etc/etcd/ca.pem --cert-file /etc/etcd/node.pem --key-file /etc/etcd/node-key.pem "$@"
}
until etcdctl cluster-health > /dev/null 2>&1; do sleep 1; done
etcdctl user add "root:$ETCD_ROOT_PASSWORD"
etcdctl user add "patroni:$PATRONI_ETCD_PASSWORD"
etcdctl role add patroni
etcdctl role grant patroni --path '/service/carte*' --readwrite
etcdctl user grant patroni --roles patroni
etcdctl auth enable
# Of those without a password, who could do everything.
etcdctl --username "root:$ETCD_ROOT_PASSWORD" role revoke guest --path '/*' --readwrite
