/* SPDX-License-Identifier: MIT */
/* Facts: collectd.conf(5), "cURL Statistics", and collectd 5.12 for types and
 * names of their series; curl_easy_getinfo(3). */
#include <collector/kit/scrape.h>

#include <curl/curl.h>

enum figure { /* Figures of libcurl, and their series. */
	      MICROSECONDS,
	      LONG,
	      BYTES,
	      SPEED, /* Bytes a second, as bits. */
};

struct wanted {
	bool total_time, namelookup_time, connect_time, pretransfer_time, content_length_download,
		content_length_upload, size_upload, size_download, speed_download, speed_upload,
		header_size, request_size, starttransfer_time, redirect_time, redirect_count,
		num_connects, appconnect_time;
};

struct statistic {
	size_t offset; /* In struct wanted. */
	const char *type, *instance;
	enum figure figure;
	CURLINFO info;
};

#define STATISTIC(name, type, figure, info)                                                        \
	{                                                                                          \
		offsetof(struct wanted, name), type, #name, figure, info                           \
	}

static const struct statistic statistics[] = {
	STATISTIC(total_time, "duration", MICROSECONDS, CURLINFO_TOTAL_TIME_T),
	STATISTIC(namelookup_time, "duration", MICROSECONDS, CURLINFO_NAMELOOKUP_TIME_T),
	STATISTIC(connect_time, "duration", MICROSECONDS, CURLINFO_CONNECT_TIME_T),
	STATISTIC(pretransfer_time, "duration", MICROSECONDS, CURLINFO_PRETRANSFER_TIME_T),
	STATISTIC(content_length_download, "bytes", BYTES, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T),
	STATISTIC(content_length_upload, "bytes", BYTES, CURLINFO_CONTENT_LENGTH_UPLOAD_T),
	STATISTIC(size_upload, "bytes", BYTES, CURLINFO_SIZE_UPLOAD_T),
	STATISTIC(size_download, "bytes", BYTES, CURLINFO_SIZE_DOWNLOAD_T),
	STATISTIC(speed_download, "bitrate", SPEED, CURLINFO_SPEED_DOWNLOAD_T),
	STATISTIC(speed_upload, "bitrate", SPEED, CURLINFO_SPEED_UPLOAD_T),
	STATISTIC(header_size, "bytes", LONG, CURLINFO_HEADER_SIZE),
	STATISTIC(request_size, "bytes", LONG, CURLINFO_REQUEST_SIZE),
	STATISTIC(starttransfer_time, "duration", MICROSECONDS, CURLINFO_STARTTRANSFER_TIME_T),
	STATISTIC(redirect_time, "duration", MICROSECONDS, CURLINFO_REDIRECT_TIME_T),
	STATISTIC(redirect_count, "count", LONG, CURLINFO_REDIRECT_COUNT),
	STATISTIC(num_connects, "count", LONG, CURLINFO_NUM_CONNECTS),
	STATISTIC(appconnect_time, "duration", MICROSECONDS, CURLINFO_APPCONNECT_TIME_T),
};
#define STATISTICS_LEN (sizeof(statistics) / sizeof(*statistics))

/* NaN: libcurl does not know; of a length that is negative. */
static double value_of(CURL *curl, const struct statistic *statistic)
{
	curl_off_t number = 0;
	long small = 0;
	CURLcode rc;

	if (statistic->figure == LONG) {
		rc = curl_easy_getinfo(curl, statistic->info, &small);
		number = small;
	} else {
		rc = curl_easy_getinfo(curl, statistic->info, &number);
	}
	if (rc != CURLE_OK || number < 0)
		return NAN;
	if (statistic->figure == MICROSECONDS)
		return (double)number / 1e6;
	return (double)number * (statistic->figure == SPEED ? 8 : 1);
}

void mc_scrape_put_statistics(const struct mc_blocks *wanted, const struct mc_scrape_reply *reply,
			      struct mc_batch *batch, const struct mc_id *id)
{
	if (wanted->len == 0 || reply->transfer == NULL)
		return;
	for (size_t i = 0; i < STATISTICS_LEN; i++) {
		const struct statistic *one = &statistics[i];
		struct mc_id series = *id;
		union mc_value value;

		if (!*(const bool *)((const char *)wanted->items + one->offset))
			continue;
		series.type = one->type;
		series.type_instance = one->instance;
		value.gauge = value_of(reply->transfer, one);
		mc_put_at(batch, mc_series(batch, series), reply->stamp, &value, 1);
	}
}

/* --- The options ---------------------------------------------------------- */

#define WANTED(word, field, text)                                                                  \
	{                                                                                          \
		.name = word, MC_OPT_BOOL(struct wanted, field), .default_value = "false",         \
		.alias = #field, .help = text                                                      \
	}

static const struct mc_option options[] = {
	WANTED("TotalTime", total_time, "Seconds from the start to the end."),
	WANTED("NamelookupTime", namelookup_time, "Seconds until the name was looked up."),
	WANTED("ConnectTime", connect_time, "Seconds until it was connected."),
	WANTED("PretransferTime", pretransfer_time, "Seconds until the request began."),
	WANTED("SizeUpload", size_upload, "Bytes that were sent."),
	WANTED("SizeDownload", size_download, "Bytes of the body."),
	WANTED("SpeedDownload", speed_download, "Bits a second of the body."),
	WANTED("SpeedUpload", speed_upload, "Bits a second that were sent."),
	WANTED("HeaderSize", header_size, "Bytes of all headers."),
	WANTED("RequestSize", request_size, "Bytes of the requests."),
	WANTED("ContentLengthDownload", content_length_download,
	       "Bytes that the server says the body has."),
	WANTED("ContentLengthUpload", content_length_upload,
	       "Announced size of the body of the request, in bytes."),
	WANTED("StarttransferTime", starttransfer_time, "Seconds until the first byte came."),
	WANTED("RedirectTime", redirect_time, "Seconds that redirections took."),
	WANTED("RedirectCount", redirect_count, "Number of redirections."),
	WANTED("NumConnects", num_connects, "Number of connections that were made."),
	WANTED("AppconnectTime", appconnect_time, "Seconds until TLS was ready."),
	{ 0 }
};

const struct mc_block mc_scrape_statistics_block = {
	.size = sizeof(struct wanted),
	.options = options,
};
