package Nothing;

use Collectd;

1;
