#!/bin/sh
# Creates in the current folder a CA, and for each node the folder that becomes its /etc/etcd, readable by the users of etcd and of Patroni.
# Without a certificate of this CA nobody talks to etcd. Keep ca-key.pem elsewhere.
set -eu
create='openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650'
$create -subj /CN=etcd -addext basicConstraints=critical,CA:TRUE -keyout ca-key.pem -out ca.pem
for node in db1=10.0.0.11 db2=10.0.0.12 db3=10.0.0.13; do
  name=${node%=*}
  mkdir "$name"
  cp ca.pem "$name"
  $create -CA ca.pem -CAkey ca-key.pem -subj "/CN=$name" -addext "subjectAltName=IP:${node#*=}" \
    -addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=serverAuth,clientAuth \
    -keyout "$name/node-key.pem" -out "$name/node.pem"
done
