# SPDX-License-Identifier: MIT
# nix-build -E '(import <nixpkgs> {}).callPackage ./package.nix {}'
{ lib, stdenv, autoreconfHook, bash, cmocka, curl, gnutls, jq, libgcrypt, libmicrohttpd, libvirt, libxml2, mosquitto
, net-snmp, openssl, pcre2, pkg-config, python3, rdkafka, rrdtool, snappy, xxHash, yajl, zlib, zstd }:

stdenv.mkDerivation {
  pname = "collector";
  version = "0.1.0";
  src = lib.cleanSource ../../..;

  nativeBuildInputs = [ autoreconfHook bash pkg-config ];
  buildInputs = [ curl gnutls libgcrypt libmicrohttpd libvirt libxml2 mosquitto net-snmp pcre2 rdkafka rrdtool snappy xxHash yajl zlib zstd ];
  nativeCheckInputs = [ cmocka jq openssl python3 ];

  postPatch = "patchShebangs bootstrap contrib doc tests plugins debian";
  configureFlags = [ "--sysconfdir=/etc" "--localstatedir=/var" ];
  # /etc and /var are the machine's, and a build may not write there.
  installFlags = [ "sysconfdir=${placeholder "out"}/etc" ];
  enableParallelBuilding = true;
  doCheck = true;
  checkTarget = "quick-check";

  meta = with lib; {
    description = "Metrics collector with collectd's configuration, names, protocols and files";
    homepage = "https://github.com/collector/collector";
    license = with licenses; [ mit gpl2Plus ];
    platforms = platforms.linux;
    mainProgram = "collectord";
  };
}
