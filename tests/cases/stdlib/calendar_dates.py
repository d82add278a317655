# stdlib: `calendar` and `datetime`, with staged years, months and days.
import calendar
import datetime

from support import show


def is_leap(year):
    return calendar.isleap(year)


def leap_days(first, last):
    return calendar.leapdays(first, last)


def weekday(year, month, day):
    return int(calendar.weekday(year, month, day))


def month_range(year, month):
    first, days = calendar.monthrange(year, month)
    return int(first), days


def weeks(year, month):
    return calendar.monthcalendar(year, month)


def text_month(year, month, first):
    return calendar.TextCalendar(first).formatmonth(year, month)


def days_of(year, month, first):
    return [day for day in calendar.Calendar(first).itermonthdays(year, month) if day % 10 == 1]


def seconds(year, month, day, hour):
    return calendar.timegm((year, month, day, hour, 0, 0))


def date(year, month, day):
    d = datetime.date(year, month, day)
    return d.isoformat(), d.weekday(), d.toordinal(), tuple(d.isocalendar())


def shifted(days):
    return str(datetime.date(2024, 2, 28) + datetime.timedelta(days=days))


def replaced(day):
    return str(datetime.date(2024, 2, 28).replace(day=day))


def from_ordinal(n):
    return str(datetime.date.fromordinal(n))


def between(year, month, day):
    return (datetime.date(2024, 1, 1) - datetime.date(year, month, day)).days


def delta(days, seconds, milliseconds):
    d = datetime.timedelta(days, seconds, milliseconds=milliseconds)
    return d.days, d.seconds, d.microseconds, d.total_seconds(), str(d)


def delta_arithmetic(n):
    d = datetime.timedelta(minutes=90)
    return str(d * n), str(d + datetime.timedelta(n)), d > datetime.timedelta(hours=n)


def delta_divided(n):
    d = datetime.timedelta(minutes=90)
    return str(d / n), str(d // n)


def at(hour, minute, second):
    return datetime.time(hour, minute, second).isoformat()


def moment(hour, minute):
    d = datetime.datetime(2024, 12, 31, hour, minute) + datetime.timedelta(hours=1)
    return str(d), d.strftime("%H:%M"), d.timetuple().tm_yday


def zone(hours):
    tz = datetime.timezone(datetime.timedelta(hours=hours))
    return str(tz), str(datetime.datetime(2024, 1, 1, 12, tzinfo=tz).astimezone(datetime.timezone.utc))


def friday_13ths(year):
    return [month for month in range(1, 13) if datetime.date(year, month, 13).weekday() == 4]


show(is_leap, 2000, 1900, 2024, 2023, 0, -4)
show(leap_days, (2000, 2024), (1900, 1900), (0, 400), (2024, 2000))
show(weekday, (2024, 2, 29), (1999, 12, 31), (1, 1, 1), (2400, 2, 29))
show(month_range, (2024, 2), (2023, 2), (1999, 12))
show(weeks, (2024, 2), (2021, 2), (1999, 12))
show(text_month, (2024, 2, 0), (2021, 2, 6), (1999, 12, 3))
show(days_of, (2024, 2, 0), (2021, 2, 6), (1999, 12, 3))
show(seconds, (1970, 1, 1, 0), (2024, 2, 29, 12), (1969, 12, 31, 23))
show(date, (2024, 2, 29), (1999, 12, 31), (1, 1, 1), (9999, 12, 31))
show(shifted, 0, 1, 2, -60, 1.5, 366)
show(replaced, 1, 29, 15)
show(from_ordinal, 1, 738000, 366)
show(between, (2024, 1, 1), (2000, 2, 29), (2030, 12, 25))
show(delta, (1, 2, 3), (0, -1, 0), (0.5, 90000, 1.5), (-1, 0, 0))
show(delta_arithmetic, 0, 1, -2, 0.5)
show(delta_divided, 1, 7, -2, 0)
show(at, (0, 0, 0), (23, 59, 59), (7, 5, 3))
show(moment, (0, 0), (22, 59), (23, 30))
show(zone, 0, 2, -5, 5.5)
show(friday_13ths, 2024, 2023, 2015)

# The functions themselves, staged.
show(calendar.isleap, 2000, 1900, 2024, 2023)
show(calendar.leapdays, (2000, 2024), (1900, 1900), (0, 400))
show(calendar.timegm, ((1970, 1, 1, 0, 0, 0),), ((2024, 2, 29, 12, 30, 1),), ((1969, 12, 31, 23, 59, 59),))
